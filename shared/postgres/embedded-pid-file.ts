import { execFile } from 'node:child_process';
import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';

const run = promisify(execFile);
const POLL_MS = 20;

/**
 * Entries of the file `postmaster.pid` that a server writes to its data folder. The status is `starting`, `ready` or
 * `stopping`.
 */
export interface PidFile {
  pid: number;
  port: number;
  status: string;
}

/** Reads the file `postmaster.pid` of a data folder; null if it is missing or unreadable. */
export async function readPidFile(cluster: string): Promise<PidFile | null> {
  const text = await readFile(fileOf(cluster), 'utf8').catch(() => '');
  const lines = text.split('\n');
  const pid = Number.parseInt(lines[0] ?? '', 10);
  return pid > 0 ? { pid, port: Number(lines[3]), status: lines[7]?.trim() ?? '' } : null;
}

/**
 * Returns the ID of the process that serves a data folder; null if none does. It waits while a server shuts down, for
 * example after the process that started it was killed.
 */
export async function findRunningServer(cluster: string): Promise<number | null> {
  for (;;) {
    const pidFile = await readPidFile(cluster);
    if (!pidFile) return null;
    const command = await commandOf(pidFile.pid);
    if (!command.includes(cluster)) {
      // A crash leaves the file. Its process ID may now belong to any process, and PostgreSQL would refuse to start. In
      // a container it may belong to the next server, whose start would then seem to be complete.
      await rm(fileOf(cluster), { force: true });
      return null;
    }
    if (pidFile.status !== 'stopping') return pidFile.pid;
    await delay(POLL_MS);
  }
}

/** Finds the port of a data folder's server, after it accepts connections; null if none is running. */
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

/** Command line of a process; empty if it does not exist. */
async function commandOf(pid: number): Promise<string> {
  if (process.platform === 'linux') return readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '');
  return run('ps', ['-ww', '-o', 'args=', '-p', String(pid)]).then(
    ({ stdout }) => stdout,
    () => '',
  );
}
