import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { z } from 'zod';
import { cpuSeconds, nextMessage, startProcess } from './processes.ts';
import { cpuMsEach } from './report.ts';

const run = promisify(execFile);
const autocannon = fileURLToPath(import.meta.resolve('autocannon'));

/** Requests to send repeatedly. */
export interface Load {
  url: string;
  /** `*` in the URL is replaced by a number from 1 to this in each request. */
  among?: number;
  /** Sets of headers of which each request has a random one, such as those of one of many sites. */
  anyOf?: Record<string, string>[];
  method?: 'GET' | 'POST';
  headers?: Record<string, string>;
  /** `[<id>]` in the body is replaced by a different word in each request. */
  body?: string;
  connections: number;
  /** Status class that every answer must have; 2xx if undefined. */
  expect?: '2xx' | '3xx';
  /** Process that answers; its CPU time is measured. */
  pid: number;
}

export interface Measure {
  requestsPerSecond: number;
  meanLatencyMs: number;
  /** CPU time of the answering process per request; null if the machine does not report it. */
  cpuMs: number | null;
}

const Result = z.object({
  '2xx': z.number(),
  '3xx': z.number(),
  '4xx': z.number(),
  '5xx': z.number(),
  errors: z.number(),
  duration: z.number(),
  latency: z.object({ mean: z.number() }),
});

/** Sends load to a server for some seconds, from a separate process. Throws if an answer is unexpected. */
export async function measure(load: Load, seconds: number): Promise<Measure> {
  const before = await cpuSeconds(load.pid);
  const result = Result.parse(
    load.among === undefined && load.anyOf === undefined
      ? await sendSame(load, seconds)
      : await sendRandom(load, seconds),
  );
  const after = await cpuSeconds(load.pid);
  const all = result['2xx'] + result['3xx'] + result['4xx'] + result['5xx'];
  const answered = result[load.expect ?? '2xx'];
  if (answered < all || result.errors > 0 || answered === 0) {
    throw new Error(`${load.url}: ${all - answered} answers were unexpected, ${result.errors} failed`);
  }
  return {
    requestsPerSecond: answered / result.duration,
    meanLatencyMs: result.latency.mean,
    cpuMs: cpuMsEach(before, after, answered),
  };
}

async function sendSame(load: Load, seconds: number): Promise<unknown> {
  const { stdout } = await run(process.execPath, [autocannon, ...options(load, seconds)], {
    maxBuffer: 64 * 1024 * 1024,
  });
  return JSON.parse(stdout);
}

async function sendRandom(
  { url, among = 1, headers = {}, anyOf = [headers], connections }: Load,
  seconds: number,
) {
  await using readers = startProcess(new URL('./processes/random-reads.ts', import.meta.url), {});
  readers.child.send({ url, among, anyOf, connections, seconds });
  return await nextMessage(readers.child);
}

function options({ url, method = 'GET', headers = {}, body, connections }: Load, seconds: number) {
  const each = Object.entries(headers).flatMap(([name, value]) => ['-H', `${name}=${value}`]);
  const sent = body === undefined ? [] : ['-b', body, '-I'];
  return ['-j', '-c', `${connections}`, '-d', `${seconds}`, '-m', method, ...each, ...sent, url];
}
