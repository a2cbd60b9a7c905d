import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';

/** Kills a process and waits until it has exited. */
export async function ended(child: ChildProcess) {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exit = once(child, 'exit');
  child.kill();
  await exit;
}
