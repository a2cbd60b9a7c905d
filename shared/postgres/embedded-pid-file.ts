import { execFile } from 'node:child_process';
import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';

const run = promisify(execFile);
const POLL_MS = 20;

/** What a server notes in its data folder: its process, its port, and how far it is (`starting`, `ready`, `stopping`). */
export interface PidFile {
  pid: number;
  port: number;
  status: string;
}

export async function readPidFile(cluster: string): Promise<PidFile | null> {
  const text = await readFile(fileOf(cluster), 'utf8').catch(() => '');
  const lines = text.split('\n');
  const pid = Number.parseInt(lines[0] ?? '', 10);
  return pid > 0 ? { pid, port: Number(lines[3]), status: lines[7]?.trim() ?? '' } : null;
}

/**
 * The process that serves a data folder, or null when it is free. Waits for one that is shutting down, as after the `kill -9`
 * of the process that had started it.
 */
export async function findRunningServer(cluster: string): Promise<number | null> {
  for (;;) {
    const pidFile = await readPidFile(cluster);
    if (!pidFile) return null;
    const command = await commandOf(pidFile.pid);
    if (!command.includes(cluster)) {
      // A crash leaves the file. Its number may belong to any process by now, and then PostgreSQL refuses to start; or to the next
      // server, as in containers, and then it would pass for that one's note of being ready.
      await rm(fileOf(cluster), { force: true });
      return null;
    }
    if (pidFile.status !== 'stopping') return pidFile.pid;
    await delay(POLL_MS);
  }
}

/** The port of the server of a data folder, once it takes connections; null when none is running. */
export async function findReadyPort(cluster: string): Promise<number | null> {
  while ((await findRunningServer(cluster)) !== null) {
    const pidFile = await readPidFile(cluster);
    if (pidFile?.status === 'ready') return pidFile.port;
    await delay(POLL_MS);
  }
  return null;
}

function fileOf(cluster: string): string {
  return join(cluster, 'postmaster.pid');
}

/** The command line of a process; empty if there is none. */
async function commandOf(pid: number): Promise<string> {
  if (process.platform === 'linux') return readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '');
  return run('ps', ['-ww', '-o', 'args=', '-p', String(pid)]).then(
    ({ stdout }) => stdout,
    () => '',
  );
}
