import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { Pool } from 'undici';
import { afterAll, expect, test } from 'vitest';
import { createOwner } from '../../server/accounts/sites/owners.ts';
import { scopeNames } from '../../shared/contract/scopes.ts';
import { startApp } from '../support/app.ts';
import { anyJson, hostileText, nearlyValuesOf, valuesOf } from '../support/arbitraries.ts';
import { exampleOf } from '../support/examples.ts';
import { inputOfFactorCall } from '../support/factors.ts';
import { formOf, smallestImage } from '../support/images.ts';
import { startMailServer } from '../support/mail-server.ts';
import { makeEmailToken, makeInvitationToken, makeResetToken } from '../support/mailed-tokens.ts';
import {
  type Operation,
  type Parameter,
  type Reply,
  readOperations,
  type Schema,
} from '../support/operations.ts';
import { ownerClient } from '../support/rpc.ts';

const plenty = { perMinute: 60_000_000, burst: 1_000_000 };
const mail = await startMailServer();
const app = await startApp({
  smtpUrl: mail.url,
  limits: { normal: plenty, moderate: plenty, strict: plenty, poll: plenty },
  webhooks: { lookup: async () => [], timeoutMs: 100 },
  // The demo payment provider sells what the site offers.
  config: { countsTest: true },
});
const pool = new Pool(app.baseUrl, { connections: 4 });
afterAll(async () => {
  await pool.close();
  await app[Symbol.asyncDispose]();
  await mail.close();
});

const operations = await readOperations();
const siteId = await app.seed.ownSite();
const key = await app.seed.key({ scopes: scopeNames });
const owner = { email: 'owner@example.com', password: 'correct horse battery' };
await createOwner(app.deps, siteId, { ...owner, name: 'Olive Owner' });
let token = await app.seed.ownerToken(siteId);

const { studio } = ownerClient(app.baseUrl, token);
const draft = await studio.posts.create.mutate({ title: 'To be seen', is_draft: true });
const preview = await studio.previews.create.mutate({ collection: 'posts', id: draft.id, as: 'free' });

const published = await studio.posts.create.mutate({ title: 'To be mailed', content: 'Hello' });
const sold = { title: 'Membership', interval: 'month', amount: 5, currency: 'EUR' } as const;
const offer = await studio.offers.create.mutate(sold);

const course = await studio.courses.create.mutate({ title: 'To be taken' });

/** Headers and bodies that an example cannot contain, such as tokens and ids of existing records, by operation. */
const fromElsewhere: Record<string, () => Promise<{ headers?: Record<string, string>; body?: object }>> = {
  v2PreviewGet: async () => ({ headers: { 'x-preview-token': preview.token } }),
  v2PurchasesRecord: async () => ({
    body: {
      ...{ buyer_email: 'grace@example.com', content_type: 'posts', content_id: published.id, amount: 49.5 },
      ...{ currency: 'EUR', provider: 'gumroad', external_id: 'sale_8f2k' },
    },
  }),
  v2CheckoutsCreate: async () => ({
    body: {
      ...{ offer_id: offer.id, email: 'lin@example.com' },
      ...{ success_url: 'http://localhost:3000/thanks', cancel_url: 'http://localhost:3000/courses' },
    },
  }),
  v2EnrollmentsCreate: async () => ({ body: { course_id: course.id, buyer_email: 'grace@example.com' } }),
  v2MailingsPreview: async () => ({ body: { post_id: published.id } }),
  v2MailingsTest: async () => ({ body: { post_id: published.id, to: ['ada@example.com'] } }),
  v2MailingsCreate: async () => ({ body: { post_id: published.id, again: true } }),
  v2MailingsPause: () => withMailing('sending'),
  v2MailingsResume: () => withMailing('paused'),
  v2MailingsCancel: () => withMailing('sending'),
  v2MailingsRetry: () => withMailing('sent'),
  adminSessionCreate: async () => ({ body: { ...owner, site_id: siteId } }),
  adminSessionFactor: async () => ({ body: (await inputOfFactorCall(app, 'admin.session.factor')).input }),
  adminInvitationsAccept: async () => ({
    body: {
      token: await makeInvitationToken(app, `${randomUUID()}@example.com`),
      name: 'Grace Bell',
      password: 'staple battery horse',
    },
  }),
  adminEmailConfirm: async () => ({
    body: { token: await makeEmailToken(app, owner.email, owner.email) },
  }),
  adminPasswordResetConfirm: async () => ({
    body: { token: await makeResetToken(app, owner.email), password: owner.password },
  }),
};

/** Sets the status of the first mailing; all others become scheduled. */
async function withMailing(status: string) {
  const em = app.deps.database.em.fork();
  await em.execute(`update mailings set status = 'scheduled'`);
  await em.execute('update mailings set status = ?, frozen_at = now(), prepared_at = now() where id = ?', [
    status,
    made.get('mailings')?.ids[0],
  ]);
  return {};
}

let deliveryId = 'mb3k9x2a7f0q1zd';

/** Ids and slugs of records that these tests created, by the collection in their path. */
const made = new Map<string, { ids: string[]; slugs: string[] }>();

test('every operation accepts the example of the document', async () => {
  const order = ['POST', 'GET', 'PATCH', 'DELETE'];
  const refused: unknown[] = [];
  const listed = operations.toSorted((a, b) => order.indexOf(a.method) - order.indexOf(b.method));
  for (const operation of listed.toSorted((a, b) => a.path.split('/').length - b.path.split('/').length)) {
    if (operation.method !== 'DELETE') refused.push(...(await sendExample(operation)));
    // A person can press "Send" twice.
    if (operation.method === 'POST') refused.push(...(await sendExample(operation)));
  }
  for (const operation of listed) {
    if (operation.method === 'DELETE') refused.push(...(await sendExample(operation)));
  }
  expect(refused).toEqual([]);
});

test('no operation refuses the examples of all its parameters', async () => {
  const refused: Awaited<ReturnType<typeof sendExample>> = [];
  for (const operation of operations.filter(({ method }) => method === 'GET' || method === 'POST'))
    refused.push(...(await sendExample(operation, shownParameters(operation))));
  // Records of the previous test were deleted, and an unsubscribed address cannot be added again.
  const isLeftBehind = ({ status, path }: { status: number; path: string }) =>
    status === 404 || (status === 409 && path === '/api/v2/subscribers');
  expect(refused.filter((one) => !isLeftBehind(one))).toEqual([]);
});

test('every operation responds as documented to generated requests, and never with a 5xx', async () => {
  const requests = fc.oneof(...operations.map(requestsOf));
  const answersAsDocumented = fc.asyncProperty(requests, async (request) => {
    const operation = getOperation(request.id);
    const reply = await send(operation, request);
    const faults = operation.faultsOf(reply);
    if (reply.status >= 500) faults.push(`failed with ${reply.status}`);
    if (faults.length > 0)
      throw new Error(`${faults.join('\n')}\n${reply.status} ${reply.text.slice(0, 2_000)}`);
  });
  await fc.assert(answersAsDocumented, { seed: 20_260_131, numRuns: 2_500, interruptAfterTimeLimit: 30_000 });
});

function getOperation(id: string): Operation {
  const operation = operations.find((known) => known.id === id);
  if (!operation) throw new Error(`no operation ${id}`);
  return operation;
}

interface Request {
  /** Id of the operation. */
  id: string;
  /** Values of the path's parameters; null for an existing record. */
  inPath: (string | null)[];
  /** Selects one of the existing records. */
  pick: number;
  query: string;
  headers: Record<string, string>;
  body: string | undefined;
}

function requestsOf(operation: Operation): fc.Arbitrary<Request> {
  const inPlace = (position: string) => operation.parameters.filter((parameter) => parameter.in === position);
  return fc.record({
    id: fc.constant(operation.id),
    inPath: fc.tuple(...inPlace('path').map(pathValues)),
    pick: fc.nat(),
    query: queries(inPlace('query')),
    headers: fc.oneof(
      { weight: 3, arbitrary: fc.constant({}) },
      fc.record({ 'x-member-token': headerText, 'if-none-match': headerText }),
    ),
    body: operation.body ? bodies(operation.body) : fc.constantFrom(undefined, '{}', 'nothing to parse'),
  });
}

const headerText = fc.stringMatching(/^[\x21-\x7e]{1,60}$/);

const pathValues = ({ schema }: Parameter): fc.Arbitrary<string | null> =>
  fc.oneof(
    { weight: 4, arbitrary: fc.constant(null) },
    { weight: 1, arbitrary: valuesOf(schema).map((value) => encode(String(value))) },
    { weight: 2, arbitrary: hostileText.filter((text) => text !== '').map(encode) },
    {
      weight: 1,
      arbitrary: fc.constantFrom('%zz', '%', '%ff', '%ED%A0%80', '%2e%2e', '..', '%2F', 'A'.repeat(3_000)),
    },
  );

/** Percent-encodes as UTF-8, including half of a surrogate pair. */
const encode = (text: string) => (text.isWellFormed() ? encodeURIComponent(text) : '%ED%A0%80');

/** Maximum length: a longer request line is refused before it reaches an operation. */
const maxQueryLength = 12_000;

function queries(parameters: Parameter[]): fc.Arbitrary<string> {
  const value = ({ name, schema }: Parameter) =>
    fc.oneof(valuesOf(schema), hostileText).map((given) => `${name}=${encode(String(given))}`);
  const known = fc
    .subarray(parameters, { maxLength: Math.min(parameters.length, 6) })
    .chain((chosen) => fc.tuple(...chosen.map(value)));
  const names = ['unknown', '__proto__', 'constructor', 'a[b]', ...parameters.map(({ name }) => name)];
  const unpaired = fc
    .tuple(fc.constantFrom(...names), hostileText)
    .map(([name, given]) => `${name}=${encode(given)}`);
  const unknownParameters = fc.array(
    fc.oneof(unpaired, fc.constantFrom('', '&', '=', '%zz', '%', 'a=%ff', '+')),
    {
      maxLength: 2,
    },
  );
  return fc
    .tuple(known, fc.oneof({ weight: 3, arbitrary: fc.constant([]) }, unknownParameters))
    .map(([given, others]) => [...given, ...others].filter((part) => part !== '').join('&'))
    .filter((query) => query.length <= maxQueryLength);
}

const bodies = (schema: Schema): fc.Arbitrary<string> =>
  fc.oneof(
    { weight: 5, arbitrary: valuesOf(schema).map((value) => JSON.stringify(value)) },
    { weight: 4, arbitrary: nearlyValuesOf(schema).map((value) => JSON.stringify(value)) },
    { weight: 1, arbitrary: anyJson.map((value) => JSON.stringify(value)) },
    {
      weight: 1,
      arbitrary: fc.constantFrom('', '{', '{"a":}', 'nul', '[]', '\ufeff{}', '{"title":1e999}', '{} {}'),
    },
  );

async function send(operation: Operation, { inPath, pick, query, headers, body }: Request) {
  const values = [...inPath];
  const path = operation.path.replace(
    /{(\w+)}/g,
    (_match, name: string) => values.shift() ?? existing(operation, name, pick),
  );
  const reply = await request(operation, { path: query ? `${path}?${query}` : path, headers, body });
  await remember(operation, reply);
  return reply;
}

/**
 * Query and headers as tools send them, without encoding `%`. They include an idempotency key, the same one for every
 * operation.
 */
function shownParameters({
  parameters,
}: Pick<Operation, 'parameters'>): Pick<Sent, 'headers'> & { query: string } {
  const shown = parameters.flatMap(({ name, in: position, schema }) =>
    [schema.examples?.[0]].flat().map((value) => ({ name, place: position, value })),
  );
  const given = shown.filter(({ value }) => value !== undefined);
  const query = given
    .filter(({ place: position }) => position === 'query')
    .map(({ name, value }) => `${name}=${value}`);
  const headers = given.filter(({ place: position }) => position === 'header');
  return {
    query: query.join('&').replaceAll(' ', '%20').replaceAll('+', '%2B'),
    headers: Object.fromEntries(headers.map(({ name, value }) => [name, String(value)])),
  };
}

const needed = ({ parameters }: Operation) => ({ parameters: parameters.filter(({ required }) => required) });

async function sendExample(
  operation: Operation,
  { query, headers }: ReturnType<typeof shownParameters> = shownParameters(needed(operation)),
) {
  const { path: template, example, parameters } = operation;
  const path = template.replace(/{(\w+)}/g, (_match, name: string) => {
    const event = parameters.find((parameter) => parameter.name === name && parameter.schema.enum);
    return event ? String(exampleOf(event.schema)) : existing(operation, name, 0);
  });
  const own = await fromElsewhere[operation.id]?.();
  const body = own?.body ?? example;
  const sent = body === undefined ? undefined : JSON.stringify(body);
  const form = operation.takesFile ? formOf(smallestImage) : { headers: {}, body: sent };
  const reply = await request(operation, {
    path: query ? `${path}?${query}` : path,
    headers: { ...headers, ...own?.headers, ...form.headers },
    body: form.body,
  });
  await remember(operation, reply);
  const faults = [...operation.faultsOf(reply), ...(reply.status >= 300 ? [reply.text] : [])];
  return faults.length > 0 ? [{ operation: operation.id, path, status: reply.status, faults }] : [];
}

interface Sent {
  path: string;
  headers: Record<string, string>;
  body: string | Buffer | undefined;
}

async function request({ method, access }: Operation, { path, headers, body }: Sent): Promise<Reply> {
  const credential = { apiKey: key, ownerSession: token, none: '' }[access];
  const response = await pool.request({
    method: method as 'GET' | 'POST' | 'PATCH' | 'DELETE',
    path,
    headers: {
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...(credential ? { authorization: `Bearer ${credential}` } : {}),
      ...headers,
    },
    body: body ?? null,
  });
  return { status: response.statusCode, headers: response.headers, text: await response.body.text() };
}

/** Id of an existing record, or its slug if the operation takes one. */
function existing({ path, parameters }: Operation, parameter: string, pick: number): string {
  if (parameter === 'delivery_id') return deliveryId;
  const { ids = [], slugs = [] } = made.get(collectionIn(path)) ?? {};
  const takesSlug = parameters.some(({ description }) => description === 'Slug of the record');
  const among = takesSlug ? slugs : ids;
  return among[pick % Math.max(among.length, 1)] ?? 'mb3k9x2a7f0q1zd';
}

/** Collection of a path. Webhooks are kept by surface, because a key reaches only webhooks that it created. */
function collectionIn(path: string): string {
  const [, , surface, collection = ''] = path.split('/');
  return collection === 'webhooks' ? `${surface} ${collection}` : collection;
}

async function remember({ method, path, id }: Operation, reply: Reply) {
  if (id === 'adminSessionDelete' && reply.status === 200) token = await app.seed.ownerToken(siteId);
  if (id === 'adminWebhooksTest' && reply.status === 200) deliveryId = await firstDelivery();
  if (method !== 'POST' || reply.status !== 201 || path.includes('/session')) return;
  const record = made.get(collectionIn(path)) ?? { ids: [], slugs: [] };
  const created = JSON.parse(reply.text) as { id: string };
  made.set(collectionIn(path), {
    ids: [...record.ids, created.id],
    slugs: [...record.slugs, ...(await slugsOf(collectionIn(path), created.id))],
  });
}

/** Id of the delivery of a test event, for the webhook of the examples. */
async function firstDelivery(): Promise<string> {
  const rows = await app.deps.database.em
    .fork()
    .execute<{ id: string }[]>('select id from webhook_deliveries order by subscription_id, id limit 1');
  return rows[0]?.id ?? '';
}

/** The slug of a record, if its collection is read by slug. */
async function slugsOf(collection: string, id: string): Promise<string[]> {
  if (!['posts', 'projects'].includes(collection)) return [];
  const em = app.deps.database.em.fork();
  const rows = await em.execute<{ slug: string }[]>(`select slug from ${collection} where id = ?`, [id]);
  return rows.map(({ slug }) => slug);
}
