/**
 * Loaded into a server before it begins: tells, when it is asked by SIGUSR2, the most CPU time that its event loop took
 * between two looks around. However busy the machine is, whoever else waits for the process waits for that.
 */
import { isMainThread } from 'node:worker_threads';

const everyMs = 2;

if (isMainThread) {
  let [before, longest, asked] = [cpuMs(), 0, 0];
  const look = () => {
    const now = cpuMs();
    longest = Math.max(longest, now - before);
    before = now;
  };
  setInterval(look, everyMs).unref();
  process.on('SIGUSR2', () => {
    look();
    asked += 1;
    process.stdout.write(`turns ${asked}: ${longest.toFixed(1)} ms\n`);
    longest = 0;
    before = cpuMs();
  });
}

function cpuMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1_000;
}
