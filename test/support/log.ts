import { createLogger } from '../../shared/runtime/logger.ts';

interface Line {
  level: number;
  msg: string;
  request_id?: string;
  err?: { message: string; stack: string };
}

/** Creates a log like that of production, with all levels, and keeps it in memory. */
export function captureLog() {
  const lines: string[] = [];
  const destination = { write: (line: string) => void lines.push(line) };
  const logger = createLogger({ LOG_LEVEL: 'trace', NODE_ENV: 'production' }, destination);
  return {
    logger,
    text: () => lines.join(''),
    /** Returns the lines of errors. */
    errors: () => lines.map((line): Line => JSON.parse(line)).filter(({ level }) => level >= 50),
  };
}
