/**
 * Module that is loaded into a server before its start. On SIGUSR2 it prints the maximum CPU time between two ticks of
 * the event loop. CPU time does not depend on the machine's load, and every other client waits for at least that long.
 */
import { isMainThread } from 'node:worker_threads';

const everyMs = 2;

if (isMainThread) {
  let [before, longest, requested] = [cpuMs(), 0, 0];
  const look = () => {
    const now = cpuMs();
    longest = Math.max(longest, now - before);
    before = now;
  };
  setInterval(look, everyMs).unref();
  process.on('SIGUSR2', () => {
    look();
    requested += 1;
    process.stdout.write(`turns ${requested}: ${longest.toFixed(1)} ms\n`);
    longest = 0;
    before = cpuMs();
  });
}

function cpuMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1_000;
}
