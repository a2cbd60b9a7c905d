import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { type Dispatcher, request } from 'undici';
import { expect } from 'vitest';
import { z } from 'zod';
import { eventually } from './eventually.ts';
import { findContradiction, type Operation } from './linearizability.ts';

interface Asking {
  path: string;
  method?: Dispatcher.HttpMethod;
  body?: object;
  headers?: Record<string, string>;
}

/** Way of reading, and the records whose versions or absence its answers show. */
export interface WayToRead extends Asking {
  shows: readonly string[];
}

/** Write, and the title of its record afterwards. */
interface Writing extends Asking {
  name: string;
  wrote: string;
  /**
   * True if it is repeated with one idempotency key until it is answered. Otherwise a lost answer leaves open whether
   * it happened.
   */
  isRepeated: boolean;
  /** Value that was read before, for a conditional write. */
  on?: { shown: string; tag: string };
}

export const absent = 'absent';

/** Returns the title that shows a version of a record in every answer. */
export const titleOf = (name: string, version: string) => `${name} v${version}`;

/** Returns the version of a record in an answer. Several versions in one answer are a contradiction. */
export function shownOf(name: string, text: string): string {
  const versions = new Set(
    Array.from(text.matchAll(new RegExp(`${name} v(\\d+)`, 'g')), ([, version]) => version),
  );
  return [...versions].join(' and ') || absent;
}

/** Splits a batch, because its calls are separate reads between which writes may happen. */
const answersIn = (text: string) =>
  text.startsWith('[')
    ? z
        .array(z.unknown())
        .parse(JSON.parse(text))
        .map((one) => JSON.stringify(one))
    : [text];

/**
 * Creates clients of several processes that record what they see of records, each as a register. `contradictionOf`
 * judges the history.
 */
export function createClients({ key, random, baseUrls, retries }: RegisterOptions) {
  const history: ({ name: string; wrote?: string } & Operation<string>)[] = [];
  const counted = { reads: 0, notModified: 0, writes: 0, lost: 0, refused: 0, maxMs: 0 };
  let timestamp = 0;

  /** Sends a request to one of the processes. Null if there was no answer. */
  async function send({ path, method = 'GET', body, headers = {} }: Asking) {
    const urls = baseUrls();
    const type = body && { 'content-type': 'application/json' };
    const began = performance.now();
    try {
      const answer = await request(urls[Math.floor(random() * urls.length)] + path, {
        method,
        headers: { authorization: `Bearer ${key}`, ...type, ...headers },
        body: body ? JSON.stringify(body) : null,
        ...(retries && { signal: AbortSignal.timeout(retries.endWithinMs) }),
      });
      const { statusCode: status } = answer;
      const text = await answer.body.text();
      counted.maxMs = Math.max(counted.maxMs, performance.now() - began);
      if (!retries || status < 500) return { status, tag: String(answer.headers.etag ?? ''), text };
      await delay(retries.pauseMs);
    } catch (error) {
      // A server must answer or close the connection within the time limit, whatever the fault.
      if (error instanceof Error && error.name === 'TimeoutError') throw error;
    }
    counted.lost += 1;
    return null;
  }

  /** Returns a function that reads once per call, usually with If-None-Match. */
  function createReader({ shows, ...requesting }: WayToRead) {
    let last = { tag: '', text: '' };
    return async () => {
      counted.reads += 1;
      const began = timestamp++;
      const headers = last.tag && random() < 0.7 ? { 'if-none-match': last.tag } : {};
      const answer = await send({ ...requesting, headers });
      if (!answer) return;
      const about = `${requesting.method ?? 'GET'} ${requesting.path}: ${answer.status}`;
      expect([about, answer.status]).toEqual([about, expect.toBeOneOf([200, 207, 304, 404])]);
      if (answer.text.includes('"isError":true')) expect(answer.text).toContain('not_found');
      if (answer.status === 304) counted.notModified += 1;
      else last = answer;
      const ended = timestamp++;
      for (const [name, text] of shows.flatMap((each) =>
        answersIn(last.text).map((one) => [each, one] as const),
      )) {
        const shown = shownOf(name, text);
        const step = (found: string) => (found === shown ? found : null);
        history.push({ name, began, ended, isRead: true, about: `${about}, ${shown}`, step });
      }
    };
  }

  /** Writes and returns the answer; null if there was none. */
  async function write({ name, wrote, isRepeated, on, ...requesting }: Writing) {
    counted.writes += 1;
    const began = timestamp++;
    const headers = {
      ...(isRepeated && { 'idempotency-key': randomUUID() }),
      ...(on && { 'if-match': on.tag }),
    };
    let answer = await send({ ...requesting, headers });
    while (!answer && isRepeated) answer = await send({ ...requesting, headers });
    const ended = answer ? timestamp++ : Number.POSITIVE_INFINITY;
    const about = `${requesting.method} ${requesting.path}: ${answer?.status}, ${wrote}`;
    const isRefused = answer?.status === 412;
    if (isRefused) counted.refused += 1;
    else if (answer) expect([about, answer.status]).toEqual([about, expect.toBeOneOf([200, 201])]);
    if (answer) expect(answer.text).not.toContain('"isError":true');
    const fits = (found: string) => !on || (found === on.shown) !== isRefused;
    const leaves = (found: string) => (isRefused ? found : wrote);
    const step = (found: string) => (fits(found) ? leaves(found) : null);
    history.push({ name, began, ended, isRead: isRefused, about, step, ...(!isRefused && { wrote }) });
    return answer;
  }

  /**
   * Returns the contradiction in the history of a record; null if there is none. With a log of the record, each write
   * must follow its predecessor there.
   */
  function contradictionOf(name: string, start: string, log?: readonly string[]) {
    const before = new Map(log?.map((wrote, index) => [wrote, log[index - 1] ?? start]));
    const own = history.filter((seen) => seen.name === name);
    const inOrder = own.map((seen) => {
      if (!log || seen.wrote === undefined) return seen;
      const { wrote, step } = seen;
      return { ...seen, step: (found: string) => (before.get(wrote) === found ? step(found) : null) };
    });
    return findContradiction(inOrder, start);
  }

  return { ask: send, createReader, write, contradictionOf, counted };
}

interface RegisterOptions {
  key: string;
  random: () => number;
  /** Returns the URLs of the running processes. */
  baseUrls: () => readonly string[];
  /** Time limits in a test whose database becomes unavailable. Errors in that time are ignored. */
  retries?: { endWithinMs: number; pauseMs: number };
}

const Batch = z.object({
  events: z.array(z.object({ data: z.object({ slug: z.string(), title: z.string() }) })),
  next_cursor: z.string().optional(),
});

/** Waits until polls return all earlier writes. Polls stop at the start of the oldest writing transaction. */
export async function logIsWhole(database: string, query: (statement: string) => Promise<unknown[]>) {
  const [{ moment: timestamp }] = Moments.parse(await query('select clock_timestamp()::text as moment'));
  const writing = `select 1 from pg_stat_activity
    where datname = '${database}' and backend_xid is not null and xact_start < '${timestamp}'`;
  await eventually(async () => (await query(writing)).length === 0);
}

const Moments = z.tuple([z.object({ moment: z.string() })]);

/** Reads all updates by polling, oldest first. */
export async function readLog(
  send: (requesting: { path: string }) => Promise<{ text: string } | null>,
  since = '2020-01-01T00:00:00Z',
) {
  const updates: { slug: string; title: string }[] = [];
  for (let from: string | undefined = `since=${since}`; from; ) {
    const answer = await send({ path: `/api/v1/webhooks/poll/content.updated?limit=50&${from}` });
    const { events, next_cursor } = Batch.parse(JSON.parse(answer?.text ?? ''));
    updates.push(...events.map(({ data }) => data));
    from = next_cursor && `cursor=${next_cursor}`;
  }
  return updates;
}
