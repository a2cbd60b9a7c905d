import { afterAll, expect, test } from 'vitest';
import type { Field } from '../../shared/contract/fields.ts';
import { startApp } from '../support/app.ts';
import { recordsOf, restResources, type Values } from '../support/content.ts';
import { endpoints } from '../support/endpoints.ts';

// Tests the filters of docs/reference/filters.md on every field of every resource. A new field is covered when
// it is declared.

const app = await startApp();
afterAll(() => app[Symbol.asyncDispose]());

const scopes = ['read', 'write', 'read:content'] as const;

/** Second values by filterable field kind. They differ from the values of the first record. */
const others: Partial<Record<Field['kind'], unknown>> = {
  text: 'Something else',
  list: ['something', 'else'],
  moment: '2020-02-29T12:00:00.000Z',
  partial_date: '2001',
  integer: 7,
  number: 1,
  money: 1.5,
};

interface Question {
  field: string;
  parameter: string;
  /** The value as a query string contains it, and as RPC sends it. */
  written: string;
  given: unknown;
  fits(stored: unknown): boolean;
}

/** Returns the filters of a field, each with a predicate for the records that match. */
function questionsOf(name: string, { kind }: Pick<Field, 'kind'>, value: unknown): Question[] {
  const set = (stored: unknown) => stored !== null && stored !== undefined && stored !== '';
  const compare = (fits: (stored: number, requested: number) => boolean) => (stored: unknown) =>
    set(stored) && fits(pointOf(stored), pointOf(value));
  const request = (suffix: string, given: unknown, fits: Question['fits']) => ({
    field: name,
    parameter: `${name}${suffix}`,
    written: [given].flat().join(','),
    given,
    fits,
  });
  switch (kind) {
    case 'text':
    case 'choice':
      return [request('', [value], (stored) => stored === value)];
    case 'list':
      return [request('', value, (stored) => [value].flat().some((one) => [stored].flat().includes(one)))];
    case 'flag':
      return [true, false].map((flag) => request('', flag, (stored) => stored === flag));
    case 'moment':
    case 'partial_date':
      return [
        request(
          '_from',
          value,
          compare((stored, requested) => stored >= requested),
        ),
        request(
          '_before',
          value,
          compare((stored, requested) => stored < requested),
        ),
      ];
    case 'integer':
    case 'number':
    case 'money':
      return [
        request(
          '_min',
          value,
          compare((stored, requested) => stored >= requested),
        ),
        request(
          '_max',
          value,
          compare((stored, requested) => stored <= requested),
        ),
      ];
    default:
      return [];
  }
}

const pointOf = (value: unknown) =>
  typeof value === 'number' ? value : new Date(String(value).replace(/^(\d{4})$/, '$1-01')).getTime();

test.for(restResources)(
  '$collection: every list filters by the kind of each field, and returns no record of another site',
  async ({ collection, fields, full, min: minimal }) => {
    const siteId = await app.seed.site();
    const key = await app.seed.key({ siteId, scopes: [...scopes] });
    const theirs = await app.seed.key({ siteId: await app.seed.site() });
    const token = await app.seed.ownerToken(siteId);
    const first: Values = { ...full, ...('is_draft' in fields && { is_draft: false }) };
    const second: Values = { ...first, ...otherValues(fields) };
    for (const by of [key, theirs]) {
      const records = recordsOf(app, collection, by);
      for (const { slug: _, ...values } of [first, second, minimal]) {
        await records.add(values);
        app.clock.advance({ minutes: 1 });
      }
    }
    const stored = await recordsOf(app, collection, key).list('limit=100');
    expect(stored).toHaveLength(3);
    const requested = Object.entries(fields)
      .filter(([name]) => name !== 'title' && name !== 'is_draft')
      .flatMap(([name, field]) =>
        [first, second].flatMap((values) => questionsOf(name, field, values[name])),
      );
    const kept = stored.flatMap(({ created, updated }) => [
      ...questionsOf('created', timestamp, created),
      ...questionsOf('updated', timestamp, updated),
    ]);
    for (const question of [...requested, ...kept]) {
      const { parameter, written, given } = question;
      const answering = expectedIds(question, [first, second, { ...unset(fields), ...minimal }], stored);
      const query = new URLSearchParams({ [parameter]: written });
      const input = encodeURIComponent(JSON.stringify({ json: { [parameter]: given } }));
      const paths = [
        `/api/v1/${collection}?${query}`,
        `/trpc/v1.${collection}.list?input=${input}`,
        ...(hasV2(collection)
          ? [`/api/v2/${collection}?${query}`, `/trpc/v2.${collection}.list?input=${input}`]
          : []),
      ];
      for (const path of paths)
        expect([path, idsIn(await app.get(path, { key }))]).toEqual([path, answering]);
      const own = `/trpc/studio.${collection}.list?input=${input}`;
      expect([own, idsIn(await app.get(own, { key: token }))]).toEqual([own, answering]);
    }
  },
);

const timestamp = { kind: 'moment' } as const;

const hasV2 = (collection: string) => endpoints.some(({ title }) => title === `GET /api/v2/${collection}`);

function otherValues(fields: Record<string, Field>): Values {
  const entries = Object.entries(fields).map(([name, { kind }]) => [name, kind, others[kind]] as const);
  return Object.fromEntries(
    entries.flatMap(([name, kind, value]) => {
      if (kind === 'flag' && name !== 'is_draft') return [[name, true]];
      return value === undefined || name === 'title' ? [] : [[name, value]];
    }),
  );
}

/** Returns the values that reads have for fields that were not set. */
const unset = (fields: Record<string, Field>): Values =>
  Object.fromEntries(Object.entries(fields).map(([name, field]) => [name, field.unset]));

/**
 * Returns the IDs of matching records, newest first. `written` contains the values of the three records,
 * oldest first; `stored` the records as read, newest first.
 */
function expectedIds({ field, fits }: Question, written: Values[], stored: Values[]) {
  const values = stored.map((record, index) => record[field] ?? written[2 - index]?.[field]);
  return stored.filter((_, index) => fits(values[index])).map(({ id }) => id);
}

function idsIn({ status, body }: { status: number; body: unknown }) {
  if (status !== 200) throw new Error(JSON.stringify(body));
  const { result, ...rest } = body as { result?: { data: { json: List } } } & List;
  const { data, items } = result?.data.json ?? rest;
  return (data ?? items ?? []).map(({ id }) => id);
}

interface List {
  data?: Values[];
  items?: Values[];
}
