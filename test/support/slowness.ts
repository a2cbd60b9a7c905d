/** What `workOf` takes on a machine that nothing else uses, by whose times limits of CPU time are set, in milliseconds. */
const usualMs = 10;

/** Which takes the square of its length to look through. */
const workOf = 'a'.repeat(5_000);

/**
 * How much longer work takes here and now, at least 1: machines differ, and so does one of them while others use its cores.
 * Limits of CPU time are multiplied by it.
 */
export function slowness(): number {
  const took = [1, 2, 3].map(() => {
    const before = process.threadCpuUsage();
    /a*b/.test(workOf);
    const { user, system } = process.threadCpuUsage(before);
    return (user + system) / 1_000;
  });
  return Math.max(1, Math.min(...took) / usualMs);
}
