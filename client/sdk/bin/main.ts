#!/usr/bin/env node
import { listen } from './listen.ts';
import { help, readOptions, UsageError } from './options.ts';

const stop = new AbortController();
// Only once: a second signal ends the process immediately.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => stop.abort());

try {
  const options = readOptions(process.argv.slice(2), process.env);
  if (options) await listen(options, { print: console.log, signal: stop.signal });
  else console.log(help);
} catch (error) {
  console.error(
    error instanceof UsageError ? `${error.message}\n\nSee: creator-content-client --help` : error,
  );
  process.exitCode = 1;
}
