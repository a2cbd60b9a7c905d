import { expect, test } from 'vitest';
import { restProceduresOf } from '../../server/api/procedures.ts';
import { appRouter } from '../../server/api/router/app-router.ts';
import { apiFields, type Fields } from '../../shared/contract/fields.ts';
import type { Resource } from '../../shared/contract/resource.ts';
import { resources } from '../../shared/contract/resources/index.ts';
import { type Scope, scopeNames } from '../../shared/contract/scopes.ts';
import { startApp, type TestApp } from '../support/app.ts';
import { connectAssistant } from '../support/assistant.ts';
import { exampleOf, toJsonSchema } from '../support/examples.ts';
import { createRandom } from '../support/random.ts';
import { visitorClient } from '../support/rpc.ts';

type Input = Record<string, unknown>;
type Send = (tool: string, input: Input) => Promise<unknown>;

test('REST and MCP give the same answer to the same call, for every tool with a path', async () => {
  const options = () => ({ random: repeatableBytes(), smtpUrl: 'smtp://127.0.0.1:1' });
  await using rest = await startApp(options());
  await using mcp = await startApp(options());
  const restKey = await prepare(rest);
  await using assistant = await connectAssistant(mcp, await prepare(mcp));
  await assistant.client.listTools();
  const overRest = await record(async (tool, input) => inList(await sendRest(rest, restKey, tool, input)));
  const overMcp = await record(assistant.callTool);
  expect(overMcp).toEqual(overRest);
  const answered = overMcp.filter(({ answer }) => !isError(answer)).map(({ tool }) => tool);
  const served = restProceduresOf(appRouter).flatMap(({ meta }) => meta.mcp?.name ?? []);
  expect([...new Set(answered)].sort()).toEqual(served.sort());
});

/** Records the answers of every tool: success, refusal and missing record. */
async function record(send: Send) {
  const calls: { tool: string; input: Input; answer: unknown }[] = [];
  const call: Send = async (tool, input) => {
    const answer = await send(tool, input);
    calls.push({ tool, input, answer: withoutTimestamps(answer) });
    return answer;
  };
  const { pages: _, ...content } = resources;
  for (const resource of Object.values(content)) await useResource(call, resource);
  await call('get_profile', {});
  await call('list_members', { per_page: 10 });
  await call('list_members', { per_page: 1_000 });
  for (const list of ['list_purchases', 'list_memberships']) {
    await call(list, { updated_from: '2026-01-31T09:05:00Z' });
    await call(list, { state: 'no such' });
  }
  await call('list_offers', { active: true });
  await call('list_offers', { active: 'no such' });
  await call('get_analytics', { period: '7d' });
  await call('search', { q: 'type-safe' });
  await call('list_events', {});
  await call('poll_events', { event: 'content.created', limit: 5 });
  await call('poll_events', { event: 'no.such' });
  await call('create_webhook', { url: 'https://93.184.216.34/hook', events: ['content.*'] });
  await call('create_webhook', { url: 'http://93.184.216.34/hook', events: [] });
  return calls;
}

type Json = Record<string, unknown>;

/** Reduces a list to the form for assistants: without bodies, unset values, and values that every record shares. */
function inList(answer: unknown): unknown {
  if (typeof answer !== 'object' || answer === null) return answer;
  const at = 'data' in answer ? 'data' : 'items';
  if (!(at in answer)) return answer;
  const records = (answer as Record<string, Json[]>)[at] ?? [];
  const shown = (record: Json) =>
    Object.entries(record).filter(
      ([name, value]) =>
        !['content', 'visibility'].includes(name) &&
        !(name === 'updated' && value === record.created) &&
        !['', '[]', 'null', 'false'].includes(typeof value === 'string' ? value : JSON.stringify(value)),
    );
  return { ...answer, [at]: records.map((record) => Object.fromEntries(shown(record))) };
}

const isError = (answer: unknown) => typeof answer === 'object' && answer !== null && 'error' in answer;

/** Removes times of events, which come from the database's clock. */
const withoutTimestamps = (answer: unknown): unknown =>
  JSON.parse(JSON.stringify(answer), (key, value) => (key === 'timestamp' ? 'some time' : value));

type Described = Pick<Resource, 'name' | 'collection' | 'fields'>;

async function useResource(call: Send, { name, collection, fields }: Described) {
  const one = name.replaceAll(' ', '_');
  const examples = Object.entries(apiFields<Fields>(fields)).map(([field, { input }]) => [
    field,
    exampleOf(toJsonSchema(input)),
  ]);
  const values = Object.fromEntries(examples);
  const { id } = (await call(`create_${one}`, values)) as { id: string };
  await call(`create_${one}`, { unheard_of: 1 });
  await call(`list_${collection}`, {});
  await call(`list_${collection}`, { limit: 1_000 });
  for (const slug of [values.slug, 'unknown']) if (one in bySlug) await call(`get_${one}`, { slug });
  for (const address of [id, 'unknown']) if (one in byId) await call(`get_${one}`, { id: address });
  if (one === 'post') for (const post_id of [id, 'unknown']) await useMailings(call, post_id);
  if (one === 'course') await call('get_course_curriculum', { id });
  await call(`update_${one}`, { id, [Object.keys(fields)[0] ?? '']: 'Changed' });
  await call(`update_${one}`, { id, created: 'now' });
  await call(`list_${collection}`, {});
  await call(`delete_${one}`, { id });
  await call(`delete_${one}`, { id });
}

async function useMailings(call: Send, post_id: string) {
  await call('preview_mailing', { post_id });
  const mailing = { post_id, send_at: '2100-01-01T00:00:00Z' };
  const { id = 'unknown' } = (await call('create_mailing', mailing)) as { id?: string };
  await call('create_mailing', mailing);
  await call('get_mailing', { id });
  await call('list_mailings', {});
}

const bySlug = { post: true, project: true };
const byId = { course: true, talk: true };

/** Prepares a site with a member, a sale, a membership and a page view, and returns a key with all scopes. */
async function prepare(app: TestApp): Promise<string> {
  const key = await app.seed.key({ scopes: scopeNames.filter(isWanted) });
  const visitor = visitorClient(app.baseUrl);
  const mails: string[] = [];
  app.deps.mailer.send = async ({ text }) => void mails.push(text);
  await visitor.site.members.requestCode.mutate({ email: 'grace@example.com', name: 'Grace' });
  const code = /\d{6}/.exec(mails.join())?.[0] ?? '';
  await visitor.site.members.signIn.mutate({ email: 'grace@example.com', code });
  await visitor.site.analytics.track.mutate({ path: '/hello' });
  const writes = await app.seed.key({ scopes: ['write', 'write:payments'] });
  const { id: content_id } = (await app.post('/api/v1/talks', { key: writes, body: { title: 'Sold' } }))
    .body as Json;
  const sale = { provider: 'gumroad', external_id: 'sale-1' };
  const bought = { content_type: 'talks', content_id, amount: 5, currency: 'EUR' };
  await app.post('/api/v2/purchases', {
    key: writes,
    body: { ...sale, ...bought, buyer_email: 'grace@example.com' },
  });
  const [open_until, as_of] = ['2026-03-01T00:00:00Z', '2026-01-31T09:05:00Z'];
  const membership = { email: 'grace@example.com', tiers: ['paid'], state: 'active', open_until, as_of };
  await app.post('/api/v2/memberships', { key: writes, body: { ...sale, ...membership } });
  return key;
}

/** Excludes the scopes that `mcp:read` and `mcp:write` include. */
const isWanted = (scope: Scope) => !/^mcp:(posts|talks|skills|profile):/.test(scope);

async function sendRest(app: TestApp, key: string, tool: string, input: Input): Promise<unknown> {
  const procedure = restProceduresOf(appRouter).find(({ meta }) => meta.mcp?.name === tool);
  if (!procedure) throw new Error(`${tool} has no REST path`);
  const { openapi: route } = procedure.meta;
  const hasBody = procedure.takesBody;
  const rest = { ...input };
  const path = route.path.replace(/{(\w+)}/g, (_, name: string) => {
    delete rest[name];
    return String(input[name]);
  });
  const query = Object.entries(rest).map(([name, value]) => `${name}=${value}`);
  const url = hasBody ? path : `${path}?${query.join('&')}`;
  return (await app.call(route.method, url, { key, ...(hasBody && { body: rest }) })).body;
}

/** Creates a source of random bytes that yields the same bytes in every app. */
function repeatableBytes() {
  const random = createRandom(1);
  return (size: number) => Buffer.from(Array.from({ length: size }, () => Math.floor(random() * 256)));
}
