import { type ChildProcess, spawn } from 'node:child_process';
import { open, readFile } from 'node:fs/promises';
import { Socket } from 'node:net';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { clusterOf, type Home } from './embedded-home.ts';
import { readPidFile } from './embedded-pid-file.ts';
import { PROGRAM_ENV } from './embedded-programs.ts';

const POLL_MS = 10;
const FAST_SHUTDOWN_MS = 10_000;

/**
 * Becomes PostgreSQL, having left a tiny process behind that waits for the end of file descriptor 3, a pipe from this process.
 * That comes when this process dies, of whatever (kill -9), and then shuts PostgreSQL down. The inner parentheses hand that process
 * to init: PostgreSQL takes the exit of an unknown child for a crash of its own.
 */
const SERVER_WITH_LIFELINE = '( { read -r _ <&3; kill -INT $$ 2>/dev/null; } & ); exec "$@" 3<&-';

/** Ends the server and resolves when it has ended; the second call does no harm. */
type Stop = () => Promise<void>;

/**
 * Starts the server of an initialised home and resolves when it takes connections, which after a crash may take minutes.
 * It gets a session of its own, so the terminal's Ctrl-C doesn't reach it, and doesn't keep this process alive. One that ends
 * by itself afterwards is told of with its log.
 *
 * @throws with the server's log (kept in the home's `postgres.log`) when it gives up
 */
export async function runServer(
  home: Home,
  programs: string,
  {
    settings,
    onLost,
  }: { settings: Record<string, string>; onLost?: ((logFile: string) => void) | undefined },
): Promise<Stop> {
  const logFile = join(home.folder, 'postgres.log');
  const log = await open(logFile, 'a', 0o600);
  const { size: logStart } = await log.stat();
  const options = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
  const command = [join(programs, 'bin', 'postgres'), '-D', clusterOf(home.folder), ...options];
  const server = spawn('/bin/sh', ['-c', SERVER_WITH_LIFELINE, 'sh', ...command], {
    ...home.user,
    cwd: '/',
    env: PROGRAM_ENV,
    detached: true,
    stdio: ['ignore', log.fd, log.fd, 'pipe'],
  });
  await log.close();
  const ended = endOf(server);
  let stopping: Promise<void> | undefined;
  if (await isReady(server, clusterOf(home.folder))) {
    void ended.then(() => stopping ?? onLost?.(logFile));
    return () => (stopping ??= stop(server, ended));
  }
  const reason = (await readFile(logFile)).subarray(logStart);
  throw new Error(`PostgreSQL failed to start. End of its log ${logFile}:\n${reason}`);
}

/** Whether a start failed because another program has the port. */
export function isPortTaken(error: unknown): boolean {
  return error instanceof Error && error.message.includes('could not create any TCP/IP sockets');
}

/** Unlike a connection, PostgreSQL's own note of being ready can't be that of another server on the port. */
async function isReady(server: ChildProcess, cluster: string): Promise<boolean> {
  while (server.exitCode === null && server.signalCode === null) {
    const pidFile = await readPidFile(cluster);
    if (pidFile?.pid === server.pid && pidFile?.status === 'ready') return true;
    await delay(POLL_MS);
  }
  return false;
}

function endOf(server: ChildProcess): Promise<void> {
  const lifeline = server.stdio[3];
  server.unref();
  if (lifeline instanceof Socket) lifeline.unref();
  return new Promise((resolve) => {
    const end = () => {
      lifeline?.destroy();
      resolve();
    };
    server.once('exit', end).once('error', end);
  });
}

async function stop(server: ChildProcess, ended: Promise<void>): Promise<void> {
  server.ref();
  server.kill('SIGINT');
  const immediateStop = setTimeout(() => server.kill('SIGQUIT'), FAST_SHUTDOWN_MS);
  await ended;
  clearTimeout(immediateStop);
}
