/**
 * Duration of matching `workOf` on an otherwise idle reference machine, in milliseconds. Limits of CPU time refer to
 * that machine.
 */
const usualMs = 10;

/** Text whose matching takes time proportional to the square of its length. */
const workOf = 'a'.repeat(5_000);

/**
 * Returns the factor by which work takes longer here and now, at least 1. Machines differ, and so does one machine
 * under load. Limits of CPU time are multiplied by it.
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
