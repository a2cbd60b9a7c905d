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

const linesForPeople = () =>
  prettyPrinter({ sync: true, singleLine: true, ignore: 'pid,hostname', translateTime: 'SYS:HH:MM:ss' });
