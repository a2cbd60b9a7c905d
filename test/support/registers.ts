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

/** A way to read, and the records whose versions its answers show, or that they are absent. */
export interface WayToRead extends Asking {
  shows: readonly string[];
}

/** A write, and what its record shows afterwards. */
interface Writing extends Asking {
  name: string;
  wrote: string;
  /** Sent again under one key, until somebody answers; else an answer that gets lost leaves open whether it was done. */
  isRepeated: boolean;
  /** What was read before, for a write on top of that alone. */
  on?: { shown: string; tag: string };
}

export const absent = 'absent';

/** The text that shows a version of a record wherever it is shown. */
export const titleOf = (name: string, version: string) => `${name} v${version}`;

/** What an answer shows of a record. More than one version at once is what no register shows. */
export function shownOf(name: string, text: string): string {
  const versions = new Set(
    Array.from(text.matchAll(new RegExp(`${name} v(\\d+)`, 'g')), ([, version]) => version),
  );
  return [...versions].join(' and ') || absent;
}

/** Calls in a batch are reads of their own, which writes may come between. */
const answersIn = (text: string) =>
  text.startsWith('[')
    ? z
        .array(z.unknown())
        .parse(JSON.parse(text))
        .map((one) => JSON.stringify(one))
    : [text];

/** Clients of several processes that write down what they see of records, each a register, to have it judged. */
export function createClients({ key, random, baseUrls, troubles }: Circumstances) {
  const history: ({ name: string; wrote?: string } & Operation<string>)[] = [];
  const counted = { reads: 0, notModified: 0, writes: 0, lost: 0, refused: 0, longestMs: 0 };
  let moment = 0;

  /** Asks one of the processes; null where no answer came. */
  async function ask({ path, method = 'GET', body, headers = {} }: Asking) {
    const urls = baseUrls();
    const type = body && { 'content-type': 'application/json' };
    const began = performance.now();
    try {
      const answer = await request(urls[Math.floor(random() * urls.length)] + path, {
        method,
        headers: { authorization: `Bearer ${key}`, ...type, ...headers },
        body: body ? JSON.stringify(body) : null,
        ...(troubles && { signal: AbortSignal.timeout(troubles.endWithinMs) }),
      });
      const { statusCode: status } = answer;
      const text = await answer.body.text();
      counted.longestMs = Math.max(counted.longestMs, performance.now() - began);
      if (!troubles || status < 500) return { status, tag: String(answer.headers.etag ?? ''), text };
      await delay(troubles.pauseMs);
    } catch (error) {
      // A server that says nothing at all is what no trouble explains.
      if (error instanceof Error && error.name === 'TimeoutError') throw error;
    }
    counted.lost += 1;
    return null;
  }

  /** Reads once each time it is called, and mostly asks whether anything has changed. */
  function createReader({ shows, ...asking }: WayToRead) {
    let last = { tag: '', text: '' };
    return async () => {
      counted.reads += 1;
      const began = moment++;
      const headers = last.tag && random() < 0.7 ? { 'if-none-match': last.tag } : {};
      const answer = await ask({ ...asking, headers });
      if (!answer) return;
      const about = `${asking.method ?? 'GET'} ${asking.path}: ${answer.status}`;
      expect([about, answer.status]).toEqual([about, expect.toBeOneOf([200, 207, 304, 404])]);
      if (answer.text.includes('"isError":true')) expect(answer.text).toContain('not_found');
      if (answer.status === 304) counted.notModified += 1;
      else last = answer;
      const ended = moment++;
      for (const [name, text] of shows.flatMap((each) =>
        answersIn(last.text).map((one) => [each, one] as const),
      )) {
        const shown = shownOf(name, text);
        const step = (found: string) => (found === shown ? found : null);
        history.push({ name, began, ended, isRead: true, about: `${about}, ${shown}`, step });
      }
    };
  }

  /** What was answered, if anything. */
  async function write({ name, wrote, isRepeated, on, ...asking }: Writing) {
    counted.writes += 1;
    const began = moment++;
    const headers = {
      ...(isRepeated && { 'idempotency-key': randomUUID() }),
      ...(on && { 'if-match': on.tag }),
    };
    let answer = await ask({ ...asking, headers });
    while (!answer && isRepeated) answer = await ask({ ...asking, headers });
    const ended = answer ? moment++ : Number.POSITIVE_INFINITY;
    const about = `${asking.method} ${asking.path}: ${answer?.status}, ${wrote}`;
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

  /** What could not have been, if anything. Of a record whose log is known every write follows the one before it there. */
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

  return { ask, createReader, write, contradictionOf, counted };
}

interface Circumstances {
  key: string;
  random: () => number;
  /** Of the processes that serve at the moment. */
  baseUrls: () => readonly string[];
  /** Where the database comes and goes: what is answered meanwhile says nothing of records, and does so within a time. */
  troubles?: { endWithinMs: number; pauseMs: number };
}

const Batch = z.object({
  events: z.array(z.object({ data: z.object({ slug: z.string(), title: z.string() }) })),
  next_cursor: z.string().optional(),
});

/** Until polls show all that was written before: they stop where the oldest transaction that writes has begun. */
export async function logIsWhole(database: string, query: (statement: string) => Promise<unknown[]>) {
  const [{ moment }] = Moments.parse(await query('select clock_timestamp()::text as moment'));
  const writing = `select 1 from pg_stat_activity
    where datname = '${database}' and backend_xid is not null and xact_start < '${moment}'`;
  await eventually(async () => (await query(writing)).length === 0);
}

const Moments = z.tuple([z.object({ moment: z.string() })]);

/** All updates, oldest first, as whoever polls is told of them. */
export async function readLog(
  ask: (asking: { path: string }) => Promise<{ text: string } | null>,
  since = '2020-01-01T00:00:00Z',
) {
  const updates: { slug: string; title: string }[] = [];
  for (let from: string | undefined = `since=${since}`; from; ) {
    const answer = await ask({ path: `/api/v1/webhooks/poll/content.updated?limit=50&${from}` });
    const { events, next_cursor } = Batch.parse(JSON.parse(answer?.text ?? ''));
    updates.push(...events.map(({ data }) => data));
    from = next_cursor && `cursor=${next_cursor}`;
  }
  return updates;
}
