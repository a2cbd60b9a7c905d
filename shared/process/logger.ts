import { type DestinationStream, pino } from 'pino';
import prettyPrinter from 'pino-pretty';

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
 * A process's log: JSON, but lines for people on a terminal outside production. Writes at once, so that nothing is lost
 * when the process ends. `destination` is standard output when left out.
 */
export function createLogger({ LOG_LEVEL, NODE_ENV }: LogSettings, destination?: DestinationStream) {
  const options = {
    level: LOG_LEVEL,
    timestamp: pino.stdTimeFunctions.isoTime,
    redact: secretNames.flatMap((name) => ['', '*', '*.*', '*.*.*'].map((above) => `${above}["${name}"]`)),
  };
  const forPeople = NODE_ENV !== 'production' && process.stdout.isTTY;
  return pino(options, destination ?? (forPeople ? linesForPeople() : pino.destination(1)));
}

export type Logger = ReturnType<typeof createLogger>;

/** What the server says of one request; see its log of requests. */
interface RequestLine {
  msg?: unknown;
  method?: unknown;
  route?: unknown;
  path?: unknown;
  calls?: unknown;
  status?: unknown;
  error?: unknown;
  ms?: unknown;
}

/** A request as people read it, `GET /api/v1/posts 200 3 ms`; null for any other line. */
export function requestForPeople(line: string): string | null {
  const { msg, method, route, path, calls, status, error, ms }: RequestLine = JSON.parse(line);
  if (msg !== 'request') return null;
  const what = Array.isArray(calls) ? calls.join(', ') : undefined;
  const words = [method, path ?? route, what, status, error, `${Math.round(Number(ms))} ms`];
  return words.filter((word) => word !== undefined && word !== null).join(' ');
}

function linesForPeople(): DestinationStream {
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
