import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { scopeNames } from '../../shared/contract/scopes.ts';
import { startApp } from '../support/app.ts';
import { type Call, calls } from '../support/calls.ts';
import type { CallOptions } from '../support/http.ts';
import { startMailServer } from '../support/mail-server.ts';
import { formOf, smallestPicture } from '../support/pictures.ts';
import { firefox, visitorClient } from '../support/rpc.ts';

// Asked of every procedure that writes, over REST and RPC: one that is added is covered.

const mail = await startMailServer();
const app = await startApp({
  smtpUrl: mail.url,
  webhooks: { lookup: async () => ['93.184.215.14'], timeoutMs: 50 },
});
afterAll(async () => {
  await app[Symbol.asyncDispose]();
  await mail.close();
});
const site = await app.seed.ownSite();
const key = await app.seed.key({ scopes: scopeNames });
const owner = await app.seed.owner();

type Input = Record<string, unknown>;
type Row = { id?: string; subscription_id?: string; action?: string };

const mutations = calls.filter(({ writes }) => writes);
const writes = mutations.filter(({ meta }) => !meta.changesNothing);

beforeAll(fill);

test.for(writes)(
  '$title is done once: its repetition changes nothing and gets the same answer',
  async (call) => {
    const noted = await countNoted(call);
    const { answer: first, repeat, credential } = await succeed(call);
    expect(isReplay(first)).toBe(null);
    const before = await allRows();
    if (call.audited) expect(await countNoted(call)).toBeGreaterThan(noted);
    else expect(await countNoted(call)).toBe(0);
    const sent = mail.mails.length;
    const second = await repeat();
    if (await endedItself(call, credential)) return;
    expect(second).toEqual(first);
    expect(isReplay(second)).toBe('true');
    expect(await allRows()).toEqual(before);
    expect(mail.mails).toHaveLength(sent);
  },
);

test('what changes nothing is made again, and leaves nothing behind', async () => {
  const { idempotency_keys } = await allRows();
  for (const call of mutations.filter(({ meta }) => meta.changesNothing)) {
    const { answer: first, repeat } = await succeed(call);
    const before = await allRows();
    const second = await repeat();
    expect([call.title, second]).toEqual([call.title, first]);
    expect(isReplay(second)).toBe(null);
    expect(await allRows()).toEqual({ ...before, idempotency_keys });
  }
});

/** How often the audit log has it. */
const countNoted = async ({ name }: Call) =>
  (await allRows()).audit_log?.filter(({ action }) => action === name).length ?? 0;

const isReplay = ({ headers }: { headers: Headers }) => headers.get('idempotency-replayed');

/** Calls with the first of all inputs that may do, each under a key of its own, that is carried out. */
async function succeed(call: Call) {
  for (const attempt of ['with what is there', 'with more']) {
    if (attempt === 'with more') await fill();
    const { headers, ...credentials } = await credentialsOf(call);
    for (const input of await inputsOf(call, credentials.input)) {
      const caller = withHeaders({ ...headers, 'idempotency-key': randomUUID() });
      const send = () => call.send(caller, input, credentials.credential);
      const answer = await send();
      if (answer.status < 300) return { answer, repeat: send, credential: credentials.credential };
    }
  }
  throw new Error(`${call.title} can't be made to succeed`);
}

/** Who calls, and what only they know. */
async function credentialsOf({ name, access }: Call) {
  const headers: Record<string, string> = { 'user-agent': firefox };
  if (access === 'key') return { credential: key, headers, input: {} };
  if (access === 'owner') return { credential: await logIn(), headers, input: {} };
  const email = 'grace@example.com';
  const { members } = visitorClient(app.baseUrl).site;
  if (name === 'admin.session.create') return { credential: '', headers, input: owner };
  if (name !== 'site.members.signIn' && name !== 'site.members.signOut')
    return { credential: '', headers, input: {} };
  await members.requestCode.mutate({ email });
  const code = mail.codeFor(email);
  if (name === 'site.members.signIn') return { credential: '', headers, input: { email, code } };
  const { token } = await members.signIn.mutate({ email, code });
  return { credential: '', headers: { ...headers, 'x-member-token': token }, input: {} };
}

async function logIn(): Promise<string> {
  const { body } = await app.post('/api/admin/session', { body: owner });
  return (body as { token: string }).token;
}

/** Whether it was refused again because the call itself ended the session that it was made with. */
async function endedItself({ access }: Call, credential: string) {
  if (access !== 'owner') return false;
  return (await app.get('/api/admin/session', { key: credential })).status === 401;
}

const withHeaders = (own: Record<string, string>) => {
  const merged = (options: CallOptions = {}) => ({ ...options, headers: { ...own, ...options.headers } });
  return {
    get: (path: string, options?: CallOptions) => app.get(path, merged(options)),
    post: (path: string, options?: CallOptions) => app.post(path, merged(options)),
    call: (method: string, path: string, options?: CallOptions) => app.call(method, path, merged(options)),
  };
};

/** The example; where it takes an id, with that of each row there is, those first whose table the procedure is named after. */
async function inputsOf({ name, example }: Call, own: Input): Promise<Input[]> {
  const { slug: _, ...rest } = { ...example, ...own };
  const rows = await allRows();
  if ('delivery_id' in rest) {
    const deliveries = rows.webhook_deliveries ?? [];
    return deliveries.map(({ id, subscription_id }) => ({ ...rest, id: subscription_id, delivery_id: id }));
  }
  const isNamed = (table: string) => Number(name.toLowerCase().includes(table.replace('_', '')));
  const sorted = Object.keys(rows).toSorted((a, b) => isNamed(b) - isNamed(a));
  const lists = sorted.map((table) => (rows[table] ?? []).flatMap(({ id }) => id ?? []));
  if ('ids' in rest) return lists.map((ids) => ({ ...rest, ids }));
  const wanted = 'id' in rest ? 'id' : Object.keys(rest).find((field) => field.endsWith('_id'));
  if (wanted === undefined) return [rest];
  return lists.flat().map((id) => ({ ...rest, ...references(rest, rows), [wanted]: id }));
}

/** A record of everything that can be made. */
async function fill() {
  const token = await logIn();
  const makers = calls.filter(
    ({ title, access }) => /^RPC .*\.(create|record)$/.test(title) && access !== 'public',
  );
  for (const call of makers) {
    const { slug: _, ...example } = call.example;
    const rows = await allRows();
    const made = { ...example, ...references(example, rows) };
    for (const input of 'is_draft' in made ? [made, { ...made, is_draft: true }] : [made])
      await call.send(app, input, call.access === 'owner' ? token : key);
  }
  await app.post('/api/admin/media', { key: token, ...formOf(smallestPicture) });
  const [webhook] = (await allRows()).webhook_subscriptions ?? [];
  await app.post(`/api/admin/webhooks/${webhook?.id}/test`, { key: token });
  await app.post('/trpc/site.testimonials.submit', { body: { json: exampleOf('site.testimonials.submit') } });
  const { members } = visitorClient(app.baseUrl).site;
  await members.requestCode.mutate({ email: 'ada@example.com' });
  await members.signIn.mutate({ email: 'ada@example.com', code: mail.codeFor('ada@example.com') });
}

const exampleOf = (wanted: string) => calls.find(({ name }) => name === wanted)?.example;

/** For `course_id` and the like, the id of what was made before. */
function references(input: Input, rows: Record<string, Row[]>): Input {
  const named = Object.keys(input).flatMap((field) => {
    const table = field === 'content_id' ? input.content_type : /^(\w+)_id$/.exec(field)?.[1]?.concat('s');
    const id = rows[String(table)]?.[0]?.id;
    return id ? [[field, id]] : [];
  });
  return Object.fromEntries(named);
}

/** All rows of all tables, by table, but for when a key was last used. */
async function allRows(): Promise<Record<string, Row[]>> {
  tables ??= await tablesOfSites();
  const selects = tables.map(
    (table) => `
      select '${table}' as name, coalesce(jsonb_agg(row order by row), '[]') as rows
      from (select to_jsonb(t) - 'last_used_at' as row from ${table} t where site_id = '${site}') own`,
  );
  const rows = await app.deps.database.em.execute<{ name: string; rows: Row[] }[]>(
    selects.join(' union all '),
  );
  return Object.fromEntries(rows.map(({ name, rows: own }) => [name, own]));
}

let tables: string[] | undefined;

async function tablesOfSites(): Promise<string[]> {
  const found = await app.deps.database.em.execute<{ name: string }[]>(`
    select table_name as name from information_schema.columns
    where table_schema = 'public' and column_name = 'site_id' order by 1`);
  return found.map(({ name }) => name);
}
