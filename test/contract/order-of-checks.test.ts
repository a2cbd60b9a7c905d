import { afterAll, expect, test } from 'vitest';
import { z } from 'zod';
import { admit } from '../../server/api/access/admit-request.ts';
import { visitorAdmission } from '../../server/api/access/site-of-host.ts';
import { type Procedure, proceduresOf, restProceduresOf } from '../../server/api/procedures.ts';
import {
  appRouter,
  assistantsRouter,
  restRouter,
  visitorsRouter,
} from '../../server/api/router/app-router.ts';

import type { ErrorCode } from '../../shared/contract/errors.ts';
import type { LimitName } from '../../shared/contract/limits.ts';
import { type Scope, scopeNames } from '../../shared/contract/scopes.ts';
import { startApp, unlimited } from '../support/app.ts';
import { sendMessage, toolCall } from '../support/assistant.ts';
import { createCaller } from '../support/http.ts';

// docs/reference/requests.md#order-of-checks, checked for every procedure over each of its surfaces. Each caller breaks one rule and
// all rules after it, and is refused by that one.

const once = { perMinute: 1, burst: 1 };
const app = await startApp({ limits: { ...unlimited, poll: once, mcp_writes: once } });
afterAll(() => app[Symbol.asyncDispose]());
const call = createCaller(app.baseUrl);

const freeSite = await app.seed.site({ plan: 'free' });
await app.seed.site({ custom_domain: 'another.example.com' });

interface Asking {
  key?: string;
  headers?: Record<string, string>;
}

/** A procedure over one surface, with a function that sends it invalid input. */
interface Asked {
  title: string;
  procedure: Procedure;
  ask(requesting: Asking): ReturnType<typeof call>;
}

const all = (...routers: Parameters<typeof proceduresOf>[0][]) =>
  routers.flatMap((router) => [...proceduresOf(router).values()]);

const overRpc: Asked[] = all(appRouter).map((procedure) => ({
  title: `RPC ${procedure.name}`,
  procedure,
  ask: (requesting) =>
    procedure.type === 'mutation'
      ? call('POST', `/trpc/${procedure.name}`, { ...requesting, body: { json: 5 } })
      : call('GET', `/trpc/${procedure.name}?input=${encodeURIComponent('{"json":5}')}`, requesting),
}));

const overRest: Asked[] = restProceduresOf(restRouter).map((procedure) => {
  const { method, path } = procedure.meta.openapi;
  const body = method === 'GET' || method === 'DELETE' ? {} : { body: 'no JSON' };
  const query = Object.keys(procedure.input?.shape ?? {}).map((name) => `${name}=&${name}=`);
  const address = `${path.replace(/{\w+}/g, 'NO-ID')}${method === 'GET' ? `?${query.join('&')}` : ''}`;
  return {
    title: `REST ${procedure.name}`,
    procedure,
    ask: (requesting) => call(method, address, { ...requesting, ...body }),
  };
});

const overMcp: Asked[] = all(appRouter, assistantsRouter).flatMap((procedure) => {
  const { mcp } = procedure.meta;
  if (!mcp) return [];
  const message = toolCall(
    mcp.name,
    Object.fromEntries(Object.keys(procedure.input?.shape ?? {}).map((name) => [name, {}])),
  );
  return { title: `MCP ${mcp.name}`, procedure, ask: (requesting) => sendMessage(app, message, requesting) };
});

const everywhere = [...overRpc, ...overRest, ...overMcp];
const withAccess = (requested: readonly Asked[], access: Procedure['meta']['access']) =>
  requested.filter(({ procedure }) => procedure.meta.access === access);

const Refusal = z.object({ error: z.object({ code: z.string() }) });
const RpcRefusal = z.object({
  error: z.object({ json: z.object({ data: z.object({ code: z.string() }) }) }),
});
const ToolRefusal = z.object({
  result: z.object({ isError: z.literal(true), content: z.tuple([z.object({ text: z.string() })]) }),
});

function codeOf(body: unknown): string | undefined {
  const rpc = RpcRefusal.safeParse(body).data?.error.json.data.code;
  const tool = ToolRefusal.safeParse(body).data?.result.content[0].text;
  return rpc ?? (tool === undefined ? Refusal.safeParse(body).data?.error.code : codeOf(JSON.parse(tool)));
}

async function expectRefused(requested: readonly Asked[], requesting: Asking, ...codes: ErrorCode[]) {
  const answers = requested.map(
    async ({ title, ask: request }) => [title, codeOf((await request(requesting)).body)] as const,
  );
  const others = (await Promise.all(answers)).filter(
    ([, code]) => !codes.some((expected) => expected === code),
  );
  expect(others).toEqual([]);
}

const broken = {
  scopes: ['read:members'] as Scope[],
  allowed_origins: ['https://ada.example.com'],
  expiry: app.clock.now(),
};
const { expiry: _, ...unexpired } = broken;
const keys = {
  disabled: await app.seed.key({ ...broken, siteId: freeSite, active: false }),
  expired: await app.seed.key({ ...broken, siteId: freeSite }),
  unplanned: await app.seed.key({ ...unexpired, siteId: freeSite }),
  narrow: await app.seed.key(unexpired),
  foreignKey: await app.seed.key({ ...unexpired, scopes: scopeNames }),
  good: await app.seed.key({ scopes: scopeNames }),
  usedUp: await app.seed.key({ scopes: scopeNames }),
};

const credentialed = [...withAccess(everywhere, 'key'), ...withAccess(everywhere, 'owner')];
const keyed = withAccess(everywhere, 'key');

test('every procedure declares which credential it requires', () => {
  expect(everywhere.filter(({ procedure }) => procedure.meta.access === undefined)).toEqual([]);
});

test('the credential is checked first: it must exist, have the right kind and belong to the host', async () => {
  const another = { headers: { host: 'another.example.com' } };
  await expectRefused(credentialed, {}, 'unauthorized');
  await expectRefused(keyed, { key: await app.seed.ownerToken() }, 'unauthorized');
  await expectRefused(keyed, { key: keys.disabled, ...another }, 'unauthorized');
  const owned = withAccess(everywhere, 'owner');
  await expectRefused(owned, { key: keys.good }, 'unauthorized');
  await expectRefused(owned, { key: await app.seed.ownerToken(), ...another }, 'unauthorized');
});

test('after the credential, it is checked that the key is enabled, then not expired, then that the plan includes the surface', async () => {
  await expectRefused(keyed, { key: keys.disabled }, 'key_disabled');
  await expectRefused(keyed, { key: keys.expired }, 'key_expired');
  await expectRefused(keyed, { key: keys.unplanned }, 'insufficient_scope');
});

test('after the plan, the scope is checked, then the origin; for assistants the origin first, because the message names the tool', async () => {
  const programs = [...overRpc, ...overRest].filter(
    ({ procedure: { meta } }) => meta.access === 'key' && meta.scope !== 'read:members',
  );
  await expectRefused(programs, { key: keys.narrow }, 'insufficient_scope');
  await expectRefused(overMcp, { key: keys.narrow }, 'origin_not_allowed');
  await expectRefused(keyed, { key: keys.foreignKey }, 'origin_not_allowed');
  const headers = { origin: 'https://ada.example.com' };
  await expectRefused(overMcp, { key: keys.narrow, headers }, 'insufficient_scope');
});

async function useUp(tier: LimitName, secret: string) {
  const key = await app.deps.findKey({ secret, host: 'localhost', collection: null });
  await app.deps.limiter.take(tier, key?.id ?? '');
}

/** Procedures that also count by key. */
const counted = [
  ...keyed.filter(({ procedure }) => procedure.meta.keyTier),
  ...overMcp.filter(({ procedure }) => procedure.type === 'mutation'),
];

test('after scope and origin, the rate limit of the key is checked, if the procedure has one', async () => {
  await useUp('poll', keys.usedUp);
  await useUp('mcp_writes', keys.usedUp);
  expect(counted.length).toBeGreaterThan(3);
  await expectRefused(counted, { key: keys.usedUp }, 'rate_limited');
});

test('after access and rate limit, the input is checked, and last the record', async () => {
  const owner = await app.seed.ownerToken();
  const taking = credentialed.filter(
    (requested) =>
      Object.keys(requested.procedure.input?.shape ?? {}).length > 0 && !counted.includes(requested),
  );
  const refusals = ['invalid_request', 'validation_failed', 'not_found'] as const;
  await expectRefused(withAccess(taking, 'key'), { key: keys.good }, ...refusals);
  await expectRefused(withAccess(taking, 'owner'), { key: owner }, ...refusals);
});

test('site pages may call procedures that read public content without a key, and no others', async () => {
  const site = await app.deps.findVisitedSite('another.example.com');
  if (!site) throw new Error('there is a site');
  const request = {
    ...{ deps: app.deps, host: 'localhost', authorization: undefined, origin: undefined, referer: undefined },
    ...{ client: '', decisions: [], admission: visitorAdmission(site) },
  };
  const called = all(appRouter, visitorsRouter).filter(({ meta }) => meta.access === 'key');
  const admissions = called.map(async (procedure) => {
    const { refusal, caller } = await admit(request, { procedure, surface: 'site' });
    return [procedure.name, refusal?.errorCode ?? caller?.kind];
  });
  const isPublic = ({ meta }: Procedure) => meta.scope === 'read' || meta.scope === 'read:content';
  expect(await Promise.all(admissions)).toEqual(
    called.map((procedure) => [procedure.name, isPublic(procedure) ? 'visitor' : 'insufficient_scope']),
  );
});
