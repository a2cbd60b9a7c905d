import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';

/** Stops a process, and waits until it is gone. */
export async function ended(child: ChildProcess) {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exit = once(child, 'exit');
  child.kill();
  await exit;
}
