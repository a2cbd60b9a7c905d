import { createRequire } from 'node:module';
import { type DestinationStream, pino } from 'pino';
import { z } from 'zod';
import { classifyDatabaseError } from '../db/database-errors.ts';

interface LogSettings {
  LOG_LEVEL: string;
  NODE_ENV: string;
}

/** Names of fields that are never logged, up to four levels deep in a logged object. */
const secretNames = [
  'authorization',
  'cookie',
  'set-cookie',
  'x-member-token',
  'x-preview-token',
  'key',
  'key_hash',
  'password',
  'password_hash',
  'secret',
  'secret_sealed',
  'token',
  'token_hash',
];

/**
 * Creates a process's log. It consists of JSON, or of short readable lines on a terminal outside production.
 * `destination` defaults to standard output, where lines are collected and written together. Warnings and errors are
 * written immediately.
 */
export function createLogger({ LOG_LEVEL, NODE_ENV }: LogSettings, destination?: DestinationStream) {
  const options = {
    level: LOG_LEVEL,
    timestamp: pino.stdTimeFunctions.isoTime,
    serializers: { err: shortError },
    redact: [
      ...secretNames.flatMap((name) => ['', '*', '*.*', '*.*.*'].map((above) => `${above}["${name}"]`)),
      // A code or link in an email lets its reader take over the account. On a developer's machine the log serves as
      // the mailbox.
      ...(NODE_ENV === 'production' ? ['mail.subject', 'mail.text', 'mail.html'] : []),
    ],
  };
  const forPeople = NODE_ENV !== 'production' && process.stdout.isTTY;
  return pino(options, destination ?? (forPeople ? linesForPeople() : together(pino.destination(1))));
}

/**
 * Serializes an error for the log. An error of the database gets its kind instead of a stack, because the stack
 * contains no useful position.
 */
function shortError(error: unknown) {
  if (!(error instanceof Error)) return error;
  const trouble = classifyDatabaseError(error);
  return trouble ? { type: error.name, message: error.message, trouble } : pino.stdSerializers.err(error);
}

export type Logger = ReturnType<typeof createLogger>;

/** Property that pino sets on a destination before it writes a line. */
interface LogContext {
  lastLevel: number;
}

const warning = 40;

/**
 * Maximum time that lines wait, in milliseconds, and maximum number of waiting characters. Writing wakes a thread,
 * which costs more than a line.
 */
const maxLength = { waitMs: 20, lines: 65_536 };

/** Destination that collects lines and writes them together. Lines are lost only if the process is killed or aborts. */
export function together(destination: DestinationStream): DestinationStream & LogContext {
  let waiting = '';
  const flush = () => {
    if (waiting === '') return;
    destination.write(waiting);
    waiting = '';
  };
  process.on('exit', flush);
  const collected: DestinationStream & LogContext = {
    lastLevel: 0,
    write(line) {
      const isFirst = waiting === '';
      waiting += line;
      if (collected.lastLevel >= warning || waiting.length > maxLength.lines) flush();
      else if (isFirst) setTimeout(flush, maxLength.waitMs);
    },
  };
  return Object.assign(collected, { [Symbol.for('pino.metadata')]: true });
}

/** Line that the server logs for a request. */
const RequestLine = z.object({
  msg: z.literal('request'),
  method: z.string(),
  route: z.string().nullish(),
  path: z.string().nullish(),
  calls: z.array(z.string()).nullish(),
  status: z.number(),
  error: z.string().nullish(),
  ms: z.number(),
});

/** Formats a request line for people, such as `GET /api/v1/posts 200 3 ms`. Null for any other line. */
export function requestForPeople(line: string): string | null {
  const { data } = RequestLine.safeParse(JSON.parse(line));
  if (!data) return null;
  const { method, route, path, calls, status, error, ms } = data;
  const words = [method, path ?? route, calls?.join(', '), status, error, `${Math.round(ms)} ms`];
  return words.filter((word) => word !== undefined && word !== null).join(' ');
}

/** Destination for a terminal. The formatter is loaded only here. */
function linesForPeople(): DestinationStream {
  const prettyPrinter: typeof import('pino-pretty') = createRequire(import.meta.url)('pino-pretty');
  const others = prettyPrinter({
    sync: true,
    singleLine: true,
    ignore: 'pid,hostname',
    translateTime: 'SYS:HH:MM:ss',
  });
  return {
    write(line) {
      const request = requestForPeople(line);
      if (request === null) others.write(line);
      else process.stdout.write(`${request}\n`);
    },
  };
}
