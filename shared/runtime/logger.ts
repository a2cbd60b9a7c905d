import { createRequire } from 'node:module';
import { type DestinationStream, pino } from 'pino';
import { z } from 'zod';
import { troubleOf } from '../db/troubles.ts';

interface LogSettings {
  LOG_LEVEL: string;
  NODE_ENV: string;
}

/** What must never be read in a log, wherever up to four levels deep it stands in what is logged. */
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
 * A process's log: JSON, but lines for people on a terminal outside production. `destination` is standard output when left
 * out, where lines are written together, but warnings and worse at once.
 */
export function createLogger({ LOG_LEVEL, NODE_ENV }: LogSettings, destination?: DestinationStream) {
  const options = {
    level: LOG_LEVEL,
    timestamp: pino.stdTimeFunctions.isoTime,
    serializers: { err: shortError },
    redact: [
      ...secretNames.flatMap((name) => ['', '*', '*.*', '*.*.*'].map((above) => `${above}["${name}"]`)),
      // Whoever reads a code or a link there can take the account. On a machine where the service is tried it is the mailbox.
      ...(NODE_ENV === 'production' ? ['mail.subject', 'mail.text', 'mail.html'] : []),
    ],
  };
  const forPeople = NODE_ENV !== 'production' && process.stdout.isTTY;
  return pino(options, destination ?? (forPeople ? linesForPeople() : together(pino.destination(1))));
}

/** Where the trouble is the database's, the line says so, and where our code was when it came says nothing. */
function shortError(error: unknown) {
  if (!(error instanceof Error)) return error;
  const trouble = troubleOf(error);
  return trouble ? { type: error.name, message: error.message, trouble } : pino.stdSerializers.err(error);
}

export type Logger = ReturnType<typeof createLogger>;

/** What pino tells of the line that it is about to write, to a destination that asks for it. */
interface About {
  lastLevel: number;
}

const warning = 40;

/** How long lines wait for others, in milliseconds, and how many characters of them: writing wakes a thread, which costs more than a line. */
const longest = { waitMs: 20, lines: 65_536 };

/** Nothing is lost unless the process is killed, or aborts. */
export function together(destination: DestinationStream): DestinationStream & About {
  let waiting = '';
  const flush = () => {
    if (waiting === '') return;
    destination.write(waiting);
    waiting = '';
  };
  process.on('exit', flush);
  const gathered: DestinationStream & About = {
    lastLevel: 0,
    write(line) {
      const isFirst = waiting === '';
      waiting += line;
      if (gathered.lastLevel >= warning || waiting.length > longest.lines) flush();
      else if (isFirst) setTimeout(flush, longest.waitMs);
    },
  };
  return Object.assign(gathered, { [Symbol.for('pino.metadata')]: true });
}

/** What the server says of one request; see its log of requests. */
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

/** A request as people read it, `GET /api/v1/posts 200 3 ms`; null for any other line. */
export function requestForPeople(line: string): string | null {
  const { data } = RequestLine.safeParse(JSON.parse(line));
  if (!data) return null;
  const { method, route, path, calls, status, error, ms } = data;
  const words = [method, path ?? route, calls?.join(', '), status, error, `${Math.round(ms)} ms`];
  return words.filter((word) => word !== undefined && word !== null).join(' ');
}

/** What draws them is loaded at a terminal alone. */
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
