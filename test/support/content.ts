import { apiFields, type Fields } from '../../shared/contract/fields.ts';
import { resources } from '../../shared/contract/resources/index.ts';
import type { TestApp } from './app.ts';
import { endpoints } from './endpoints.ts';
import { exampleOf, toJsonSchema } from './examples.ts';

export type Values = Record<string, unknown>;

/** Resource as REST callers know it. */
export interface RestResource {
  collection: string;
  fields: Fields;
  /** Values for its required fields. */
  min: Values;
  /** Values for all its fields, from their documentation. */
  full: Values;
  /** True if a record can be read by its slug. */
  bySlug: boolean;
  /** True if its list has pages. */
  paged: boolean;
}

/** Resources with REST paths. A newly declared resource is included automatically. */
export const restResources: readonly RestResource[] = Object.values(resources)
  .filter(({ collection }) => endpoints.some(({ title }) => title === `POST /api/v1/${collection}`))
  .map(({ collection, fields }) => describeResource(collection, apiFields<Fields>(fields)));

function describeResource(collection: string, fields: Fields): RestResource {
  const examples = Object.entries(fields).map(
    ([name, field]) => [name, exampleOf(toJsonSchema(field.input)), field.required] as const,
  );
  return {
    collection,
    fields,
    full: Object.fromEntries(examples),
    min: Object.fromEntries(examples.filter(([, , required]) => required)),
    paged: endpoints.some(
      ({ title, query }) => title === `GET /api/v1/${collection}` && query.includes('cursor'),
    ),
    bySlug: endpoints.some(
      ({ method, pattern }) => method === 'GET' && pattern.test(`/api/v1/${collection}/a`),
    ),
  };
}

/**
 * Returns the values as reads show them: without `is_draft`, without the access tier of a post, and with timestamps in
 * the form of answers.
 */
export function shown(collection: string, { is_draft: _, ...values }: Values): Values {
  if (collection === 'posts') delete values.access_tier;
  const read = Object.entries(values).map(([name, value]) => [
    name,
    isTimestamp(value) ? value.replace('T', ' ') : value,
  ]);
  return Object.fromEntries(read);
}

const isTimestamp = (value: unknown): value is string =>
  typeof value === 'string' && /^\d{4}-\d\d-\d\dT[\d:.]+Z$/.test(value);

/** Returns a caller's operations on the records of a collection. */
export function recordsOf(app: TestApp, collection: string, key: string) {
  const path = `/api/v1/${collection}`;
  const records = {
    create: (values: Values) => app.post(path, { key, body: values }),
    /** Creates a record and returns its ID. Throws if it is refused. */
    async add(values: Values): Promise<string> {
      const { status, body } = await records.create(values);
      if (status !== 201) throw new Error(`POST ${path} returned ${status}: ${JSON.stringify(body)}`);
      return (body as { id: string }).id;
    },
    update: (id: string, values: Values) => app.patch(`${path}/${id}`, { key, body: values }),
    remove: (id: string) => app.delete(`${path}/${id}`, { key }),
    get: (slug: string) => app.get(`${path}/${slug}`, { key }),
    /** Returns the records on one page of the list. */
    async list(query = 'limit=100'): Promise<Values[]> {
      const { body } = await app.get(`${path}?${query}`, { key });
      return (body as { data: Values[] }).data;
    },
    /** Returns the record as the list shows it; undefined if it is not listed. */
    async find(id: string): Promise<Values | undefined> {
      return (await records.list()).find((record) => record.id === id);
    },
  };
  return records;
}

/** Returns the records of a list's answer, over REST or RPC. Throws if the list was refused. */
export function recordsIn({ status, body }: { status: number; body: unknown }): Values[] {
  if (status !== 200) throw new Error(JSON.stringify(body));
  const { result, ...rest } = body as { result?: { data: { json: List } } } & List;
  const { data, items } = result?.data.json ?? rest;
  return data ?? items ?? [];
}

interface List {
  data?: Values[];
  items?: Values[];
}
