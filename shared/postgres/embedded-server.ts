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
 * Shell script that becomes PostgreSQL and leaves a small process behind. That process waits for the end of file
 * descriptor 3, a pipe from this process. The pipe ends when this process dies, even by kill -9, and PostgreSQL is then
 * shut down. The inner parentheses make init the parent of the small process: PostgreSQL treats the exit of an unknown
 * child as a crash.
 */
const SERVER_WITH_LIFELINE = '( { read -r _ <&3; kill -INT $$ 2>/dev/null; } & ); exec "$@" 3<&-';

/** Stops the server and resolves after it has ended. A second call has no further effect. */
type Stop = () => Promise<void>;

/**
 * Starts the server of an initialised home and resolves when it accepts connections. After a crash that may take minutes.
 * The server has its own session, so that a Ctrl-C in the terminal does not reach it, and it does not keep this process
 * alive. `onLost` is called with the log file if it ends without `Stop`. Throws an `Error` with the end of the log
 * (`postgres.log` in the home) if the server fails to start.
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

/** True if a start failed because another program uses the port. */
export function isPortTaken(error: unknown): boolean {
  return error instanceof Error && error.message.includes('could not create any TCP/IP sockets');
}

/**
 * Waits until the server is ready; false if it ended. It reads the server's own file, because a connection could reach
 * another server on the port.
 */
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
