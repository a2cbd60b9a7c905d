import { readdir, readFile } from 'node:fs/promises';

/** Returns the IDs of a Linux process and its children. */
export async function familyOf(parent: number | null): Promise<number[]> {
  const pids = (await readdir('/proc')).map(Number).filter(Number.isInteger);
  const parents = await Promise.all(pids.map(async (pid) => [pid, await parentOf(pid)] as const));
  return parents.flatMap(([pid, own]) => (pid === parent || own === parent ? [pid] : []));
}

export async function parentOf(pid: number): Promise<number | null> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '');
  const parent = /^PPid:\s*(\d+)$/m.exec(status)?.[1];
  return parent === undefined ? null : Number(parent);
}

/**
 * Stops a process and its children. The parent stops first, so that it starts no more. Resolves with a function that
 * continues them.
 */
export async function freezeFamily(parent: number): Promise<() => void> {
  process.kill(parent, 'SIGSTOP');
  const family = await familyOf(parent);
  signal(family, 'SIGSTOP');
  return () => signal(family, 'SIGCONT');
}

/** Sends a signal to processes. Those that have ended are skipped. */
export function signal(pids: readonly number[], name: NodeJS.Signals) {
  for (const pid of pids) {
    try {
      process.kill(pid, name);
    } catch (error) {
      if (!(error instanceof Error && 'code' in error && error.code === 'ESRCH')) throw error;
    }
  }
}
