import { flushCompileCache } from 'node:module';
import { setFlagsFromString } from 'node:v8';
import type { Logger } from './logger.ts';

/** Maximum duration of a shutdown, in milliseconds. docs/operate/processes.md promises 12 s. */
const timeoutMs = 11_500;

/**
 * Time in which a second Ctrl-C counts as an echo of the first, in milliseconds. It can arrive twice: from the terminal
 * and through npx or pnpm.
 */
const echoMs = 1_000;

export interface Lifetime {
  /** Resources that end with the process, the last one first. */
  resources: AsyncDisposableStack;
  /** Ends the process because of an error. A second call has no effect. */
  fail(reason: string, exitCode?: number): void;
}

const stopSignals = ['SIGTERM', 'SIGINT'] as const;

/** Makes the process exit with 0 on a signal that arrives before `runUntilStopped` is loaded. */
export function exitWhenStopped() {
  for (const signal of stopSignals) process.on(signal, () => process.exit(0));
}

/**
 * Runs a process. `start` opens its resources; then it runs until one of these: SIGTERM, SIGINT, the end of its IPC
 * channel, or a call of `fail`. The resources are then closed, and the process exits with 0, or with the exit code of
 * `fail`. If closing takes longer than `timeoutMs`, it exits without waiting. An uncaught error ends it immediately, with
 * 1; so does a second signal, unless it arrives within `echoMs` of the first. Throws what `start` threw, after closing the
 * resources, unless the process was already stopping.
 *
 * @param signals 'ignored' for a child process that receives the same signals as its parent; the parent stops it by
 * ending the channel
 */
export async function runUntilStopped(
  logger: Logger,
  start: (lifetime: Lifetime) => Promise<void>,
  signals: 'heeded' | 'ignored' = 'heeded',
) {
  exitOnUncaught(logger);
  const { promise: end, resolve } = Promise.withResolvers<number>();
  let ending = false;
  const endWith = (exitCode: number) => {
    if (!ending) setTimeout(() => giveUp(logger, exitCode), timeoutMs).unref();
    ending = true;
    resolve(exitCode);
  };
  onStopSignal(logger, signals, () => endWith(0));
  const fail: Lifetime['fail'] = (reason, exitCode = 1) => {
    if (!ending) logger.fatal(reason);
    endWith(exitCode);
  };
  await using resources = new AsyncDisposableStack();
  await start({ resources, fail }).catch((error: unknown) => {
    if (!ending) throw error;
  });
  // Node writes its compile cache when a process exits. A killed process would leave none.
  flushCompileCache();
  // V8 otherwise allocates some objects of requests as old ones: a read then takes 16 % more CPU, in some processes 70 %.
  // The flag is not set earlier, because V8 rejects the compiled code of Node's own modules under another set of flags.
  setFlagsFromString('--no-allocation-site-pretenuring');
  const exitCode = await end;
  await resources.disposeAsync();
  process.exit(exitCode);
}

function onStopSignal(logger: Logger, signals: 'heeded' | 'ignored', stop: () => void) {
  let firstAt: number | undefined;
  const stopOrForce = (signal: string) => {
    const now = performance.now();
    firstAt ??= now;
    if (now === firstAt) {
      logger.info({ signal }, 'stopping');
      stop();
    } else if (now - firstAt > echoMs) {
      logger.warn({ signal }, 'second signal received; stopping immediately');
      process.exit(1);
    }
  };
  const onSignal = signals === 'heeded' ? stopOrForce : () => {};
  for (const signal of stopSignals) {
    const earlier = process.listeners(signal);
    // The new listener is added before the others are removed. Without any listener, a pending signal would be lost.
    process.on(signal, onSignal);
    for (const listener of earlier) process.off(signal, listener);
  }
  if (process.connected) process.once('disconnect', () => stopOrForce('end of the parent process'));
}

function giveUp(logger: Logger, exitCode: number) {
  logger.warn({ after_ms: timeoutMs }, 'shutdown timed out; remaining work was aborted');
  process.exit(exitCode);
}

function exitOnUncaught(logger: Logger) {
  const exit = (err: unknown) => {
    logger.fatal({ err }, 'uncaught error');
    process.exit(1);
  };
  process.on('uncaughtException', exit).on('unhandledRejection', exit);
}
