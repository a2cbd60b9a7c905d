import { randomUUID } from 'node:crypto';
import { scopeNames } from '../../shared/contract/scopes.ts';
import { getMailKey } from '../../shared/newsletter/mail-key.ts';
import { confirmToken, unsubscribeToken } from '../../shared/newsletter/mail-tokens.ts';
import type { ConnectDeps } from '../../shared/webhooks/index.ts';
import { startApp, type TestApp, type TestAppOptions } from './app.ts';
import { type Call, calls } from './calls.ts';
import { inputOfFactorCall } from './factors.ts';
import type { CallOptions } from './http.ts';
import { formOf, smallestImage } from './images.ts';
import { startMailServer } from './mail-server.ts';
import { makeEmailToken, makeInvitationToken, makeResetToken } from './mailed-tokens.ts';
import { makeOutbox, newsletterTo } from './outbox.ts';
import { createRowReader, type Row, type RowsByTable } from './rows-of-site.ts';
import { firefox, ownerClient, visitorClient } from './rpc.ts';
import { stepsAt } from './sign-in.ts';
import { type StripeStandIn, startStripe } from './stripe/index.ts';

type Input = Record<string, unknown>;

/** Starts a server with a site on which every procedure can succeed. Dispose of it with `await using`. */
export async function startSiteForEveryCall(
  webhooks: Partial<ConnectDeps> = { lookup: async () => ['93.184.215.14'], timeoutMs: 50 },
  options: Pick<TestAppOptions, 'serverUrl' | 'logger' | 'random'> = {},
) {
  const mail = await startMailServer();
  const outbox = await makeOutbox();
  const stripe = await startStripe();
  // The demo payment provider sells what the site offers.
  const config = { countsTest: true, stripeApiBase: stripe.url };
  const app = await startApp({ smtpUrl: mail.url, webhooks, config, ...options });
  const siteId = await app.seed.ownSite();
  await outbox.keep({ kind: 'newsletter', siteId }, newsletterTo('grace@example.com'));
  const site: Site = {
    app,
    mail,
    outbox,
    stripe,
    siteId,
    key: await app.seed.key({ scopes: scopeNames }),
    owner: await app.seed.owner(),
    session: null,
    // Each call changes `last_used_at` of its key.
    rows: await createRowReader(app, siteId, ['last_used_at']),
  };
  return Object.assign(site, {
    /** Creates a record of every kind. */
    fill: () => fill(site),
    /** Calls with possible inputs until one succeeds. Each attempt has its own idempotency key. */
    succeed: (call: Call) => succeed(site, call),
    async [Symbol.asyncDispose]() {
      await site.rows[Symbol.asyncDispose]();
      await app[Symbol.asyncDispose]();
      await mail.close();
      await stripe[Symbol.asyncDispose]();
      await outbox[Symbol.asyncDispose]();
    },
  });
}

interface Site {
  app: TestApp;
  mail: Awaited<ReturnType<typeof startMailServer>>;
  outbox: Awaited<ReturnType<typeof makeOutbox>>;
  stripe: StripeStandIn;
  siteId: string;
  /** API key with all scopes. */
  key: string;
  owner: { email: string; password: string };
  /** Session token of the owner; null after it ended. */
  session: string | null;
  rows: Awaited<ReturnType<typeof createRowReader>>;
}

/** Procedures that end the owner's session. */
const endsSessions = /^(admin\.(session|passwordReset)|studio\.(sessions|account))\./;

async function succeed(site: Site, call: Call) {
  const refusals: string[] = [];
  for (const attempt of ['with what is there', 'with more']) {
    if (attempt === 'with more') await fill(site);
    const { headers, credential, input: own } = await credentialsOf(site, call);
    for (const input of await inputsOf(site, call, own, attempt === 'with more')) {
      const caller = withHeaders(site.app, { ...headers, 'idempotency-key': randomUUID() });
      const send = () => call.send(caller, input, credential);
      const answer = await send();
      if (endsSessions.test(call.name)) site.session = null;
      if (answer.status < 300) return { answer, repeat: send, credential };
      refusals.push(`${JSON.stringify(input)}: ${answer.status} ${JSON.stringify(answer.body)}`);
    }
  }
  throw new Error(`${call.title} failed with every input:\n${refusals.join('\n')}`);
}

/** Returns the credential of a call, its headers, and inputs that only its caller knows. */
async function credentialsOf(site: Site, { name, access }: Call) {
  const { app, mail, outbox, siteId, key, owner } = site;
  // Stored email can be read only if no email is sent. Then no subscriber is asked to confirm.
  app.deps.mailer.outbox = name.startsWith('studio.outbox.') ? outbox : null;
  const headers: Record<string, string> = { 'user-agent': firefox };
  if (name === 'v2.preview.get')
    return {
      credential: key,
      headers: { ...headers, 'x-preview-token': await previewToken(site) },
      input: {},
    };
  const [, step] = /\.mailings\.(pause|resume|cancel|retry)$/.exec(name) ?? [];
  if (step) await makeMailing(site, stepsFrom[step] ?? 'sending');
  if (name === 'v2.checkouts.create') {
    const [success_url, cancel_url] = ['http://localhost:3000/thanks', 'http://localhost:3000/courses'];
    const input = { email: `${randomUUID()}@example.com`, success_url, cancel_url };
    return { credential: key, headers, input };
  }
  if (access === 'key') return { credential: key, headers, input: {} };
  if (/^(studio\.factors\.|admin\.session\.(factor|proof)$)/.test(name))
    return { headers, ...(await inputOfFactorCall(app, name)) };
  if (access === 'owner') {
    site.session ??= await logIn(site);
    return { credential: site.session, headers, input: await inputOfPerson(site, name) };
  }
  const email = 'grace@example.com';
  const { members } = visitorClient(app.baseUrl).site;
  if (name === 'admin.session.create')
    return { credential: '', headers, input: { ...owner, site_id: siteId } };
  if (name === 'admin.passwordReset.confirm')
    return {
      credential: '',
      headers,
      input: { token: await makeResetToken(app, owner.email), password: owner.password },
    };
  if (name === 'admin.email.confirm')
    return { credential: '', headers, input: { token: await makeEmailToken(app, owner.email, owner.email) } };
  if (name === 'admin.invitations.accept')
    return {
      credential: '',
      headers,
      input: { token: await makeInvitationToken(app, `${randomUUID()}@example.com`), ...newcomer },
    };
  if (name === 'site.newsletter.confirm')
    return { credential: '', headers, input: { token: await tokenOfQuestion(site) } };
  if (name === 'site.newsletter.unsubscribe')
    return { credential: '', headers, input: { token: await unsubscribeTokenOf(site) } };
  // The demo provider sells only without a connection.
  if (/^site\.(checkout|billing)\./.test(name))
    await app.deps.database.em.execute('delete from payment_connections where site_id = ?', [siteId]);
  if (name === 'site.billing.open')
    await app.deps.database.em.execute(
      `update memberships set provider = 'demo', email = ? where site_id = ?`,
      [email, siteId],
    );
  if (name.startsWith('site.learning.')) await publishCourses(site, email);
  if (!ofMembers.test(name)) return { credential: '', headers, input: {} };
  const requested = { email, challenge: 'of-whoever-asks-for-it' };
  await members.requestCode.mutate(requested);
  const input = { ...requested, code: mail.codeFor(email) };
  if (name === 'site.members.signIn') return { credential: '', headers, input };
  const { token } = await members.signIn.mutate(input);
  return { credential: '', headers: { ...headers, 'x-member-token': token }, input: {} };
}

/** Procedures that need a sign-in code or a session of a member. */
const ofMembers =
  /^site\.(members\.(get|sign(In|Out))|newsletter\.prefer(ence)?|billing\.open|learning\.\w+)$/;

/** Publishes the lessons of all courses, which the learner has completed. */
async function publishCourses({ app, siteId }: Site, email: string) {
  const { em } = app.deps.database;
  await em.execute(
    `update courses set lessons_published = true, access_tier = 'free', sequential_access = false, visibility = 'public', is_draft = false
    where site_id = ? and not (lessons_published and is_public and access_tier = 'free' and not sequential_access)`,
    [siteId],
  );
  await em.execute(
    `insert into enrollments (site_id, id, course_id, buyer_email, completed_at, created)
    select site_id, id, id, ?, now(), now() from courses where site_id = ? on conflict do nothing`,
    [email, siteId],
  );
}

/** Returns inputs with a person's ID, or with values that only the person knows. */
async function inputOfPerson(site: Site, name: string): Promise<Input> {
  const {
    app,
    outbox,
    siteId,
    owner: { password },
  } = site;
  if (name === 'studio.account.changePassword') return { current: password, password };
  if (name === 'studio.account.changeEmail') return { current: password };
  if (name === 'studio.payments.connect') return connectionInput(site);
  if (name.startsWith('studio.payments.'))
    await ownerClient(app.baseUrl, site.session ?? '').studio.payments.connect.mutate(connectionInput(site));
  if (name === 'studio.sites.enter') return { id: siteId };
  if (name.startsWith('studio.assistants.')) return { id: await makeAssistant(site, name) };
  if (name === 'studio.outbox.get') return { id: (await outbox.list())[0]?.id };
  if (/^studio\.people\.(update|remove)$/.test(name)) return { id: (await app.seed.person('support')).id };
  return {};
}

/** Key of a new account, which replaces the connected one. */
const connectionInput = ({ stripe }: Site) => ({ key: stripe.createAccount().key, confirm: true });

/** Creates an assistant that waits for a decision, or is connected. */
async function makeAssistant({ app, session }: Site, name: string): Promise<string> {
  const { ask: request, register } = stepsAt(app);
  const { id } = await request((await register()).id);
  if (/(update|revoke)$/.test(name))
    await ownerClient(app.baseUrl, session ?? '').studio.assistants.approve.mutate({
      id,
      scopes: ['mcp:read'],
    });
  return id;
}

const newcomer = { name: 'Grace Bell', password: 'staple battery horse' };

async function previewToken(site: Site): Promise<string> {
  site.session ??= await logIn(site);
  const { studio } = ownerClient(site.app.baseUrl, site.session);
  const { id } = await studio.posts.create.mutate({ title: 'To be seen', is_draft: true });
  return (await studio.previews.create.mutate({ collection: 'posts', id, as: 'free' })).token;
}

/** Status that a mailing needs for these procedures; others need `sending`. */
const stepsFrom: Record<string, string> = { resume: 'paused', retry: 'sent' };

/** Sets the status of the only mailing of the site that is not cancelled. */
async function makeMailing(site: Site, status: string) {
  const { em } = site.app.deps.database;
  const find = () => em.execute<{ id: string }[]>('select id from mailings where site_id = ?', [site.siteId]);
  if ((await find()).length === 0) {
    site.session ??= await logIn(site);
    const { studio } = ownerClient(site.app.baseUrl, site.session);
    const { id: post_id } = await studio.posts.create.mutate({ title: 'To be mailed' });
    await studio.mailings.create.mutate({ post_id });
  }
  const [first] = await find();
  // All are cancelled first, because a worker that runs concurrently would prepare each due mailing.
  await em.execute(`update mailings set status = 'cancelled' where site_id = ?`, [site.siteId]);
  await em.execute(
    'update mailings set status = ?, frozen_at = now(), prepared_at = now() where site_id = ? and id = ?',
    [status, site.siteId, first?.id],
  );
}

/** Returns the token of a new subscriber's confirmation link. */
async function tokenOfQuestion({ app, siteId }: Site): Promise<string> {
  const email = `${randomUUID()}@example.com`;
  await visitorClient(app.baseUrl).site.newsletter.subscribe.mutate({ email });
  const [row] = await app.deps.database.em.execute<{ id: string }[]>(
    'select id from subscribers where site_id = ? and email = ?',
    [siteId, email],
  );
  const about = { siteId, subscriberId: row?.id ?? '', askedAt: app.clock.now() };
  return confirmToken(await getMailKey(app.deps, siteId), about);
}

/** Returns the token of an unsubscribe link. It works even though the subscriber does not exist. */
async function unsubscribeTokenOf({ app, siteId }: Site): Promise<string> {
  const about = { siteId, subscriberId: 'mb3k9x2a7f0q1zd', email: 'grace@example.com' };
  return unsubscribeToken(await getMailKey(app.deps, siteId), about);
}

async function logIn({ app, owner }: Site): Promise<string> {
  const { body } = await app.post('/api/admin/session', { body: owner });
  return (body as { token: string }).token;
}

/** Adds headers to each request of a caller. */
export const withHeaders = (app: TestApp, own: Record<string, string>) => {
  const merged = (options: CallOptions = {}) => ({ ...options, headers: { ...own, ...options.headers } });
  return {
    get: (path: string, options?: CallOptions) => app.get(path, merged(options)),
    post: (path: string, options?: CallOptions) => app.post(path, merged(options)),
    call: (method: string, path: string, options?: CallOptions) => app.call(method, path, merged(options)),
  };
};

/**
 * Returns possible inputs: the example with the ID or slug of each existing row. Rows of the table that the procedure
 * or its parameter is named after come first. Other tables are used if there is none, or in the last attempt.
 */
async function inputsOf(
  site: Site,
  { name, example, writes }: Call,
  own: Input,
  isLast: boolean,
): Promise<Input[]> {
  if ('id' in own || 'site_id' in own) return [{ ...example, ...own }];
  const { slug: _, ...given } = { ...example, ...own };
  // Each path can have only one redirect.
  const rest = String(given.from).startsWith('/') ? { ...given, from: `/${randomUUID()}` } : given;
  const wanted = 'id' in rest ? 'id' : Object.keys(rest).find((field) => field.endsWith('_id'));
  const isFound = 'slug' in example && !writes;
  if (wanted === undefined && !('ids' in rest) && !isFound) return [rest];
  const rows = await site.rows.latest();
  if ('delivery_id' in rest) {
    const deliveries = rows.webhook_deliveries ?? [];
    return deliveries.map(({ id, subscription_id }) => ({ ...rest, id: subscription_id, delivery_id: id }));
  }
  const about = [wanted?.replace(/_?id$/, '') || name, rest.content_type, rest.collection]
    .join(' ')
    .toLowerCase();
  // `owner_sessions` matches the parameter `owner_id` and the procedure `studio.sessions.end`.
  const isNamed = (table: string) =>
    [/_.*/, /.*_/].some((others) => about.includes(table.replace(others, '').replace(/s$/, '')));
  const { named = [], others = [] } = Object.groupBy(Object.keys(rows), (table) =>
    isNamed(table) ? 'named' : 'others',
  );
  const sorted = [...named, ...(named.length === 0 || isLast ? others : [])];
  // Procedures that end keys must not end the key of all calls.
  const isOwnKey = ({ key_prefix: prefix }: Row) => prefix !== undefined && site.key.startsWith(prefix);
  const valuesOf = (column: 'id' | 'slug') =>
    sorted.map((table) => (rows[table] ?? []).flatMap((row) => (isOwnKey(row) ? [] : (row[column] ?? []))));
  if ('ids' in rest)
    return sorted.flatMap((table) => siblings(rows[table] ?? []).map((ids) => ({ ...rest, ids })));
  if (isFound)
    return valuesOf('slug')
      .flat()
      .map((slug) => ({ ...rest, slug }));
  if (wanted === undefined) return [rest];
  return valuesOf('id')
    .flat()
    .map((id) => ({ ...rest, ...references(rest, rows), [wanted]: id }));
}

/** Returns the IDs of siblings, by parent. A record's parent depends on earlier deletions and restores. */
const siblings = (rows: readonly Row[]) =>
  [...Map.groupBy(rows, ({ course_id, module_id }) => `${course_id} ${module_id}`).values()].map((group) =>
    group.flatMap(({ id }) => id ?? []),
  );

async function fill(site: Site) {
  const { app, mail, key } = site;
  const token = await logIn(site);
  const makers = calls.filter(
    ({ title, access }) => /^RPC .*\.(create|record)$/.test(title) && access !== 'public',
  );
  for (const call of makers) {
    const { slug: _, ...example } = call.example;
    const refers = Object.keys(example).some((field) => /(^|_)id$/.test(field));
    const rows = refers ? await site.rows.latest() : {};
    const made = { ...example, ...references(example, rows) };
    for (const input of 'is_draft' in made ? [made, { ...made, is_draft: true }] : [made])
      await call.send(app, input, call.access === 'owner' ? token : key);
  }
  await app.post('/api/admin/media', { key: token, ...formOf(smallestImage) });
  const [webhook] = (await site.rows.latest()).webhook_subscriptions ?? [];
  await app.post(`/api/admin/webhooks/${webhook?.id}/test`, { key: token });
  await app.post('/trpc/site.testimonials.submit', { body: { json: exampleOf('site.testimonials.submit') } });
  const { members } = visitorClient(app.baseUrl).site;
  await members.requestCode.mutate({ email: 'ada@example.com' });
  await members.signIn.mutate({ email: 'ada@example.com', code: mail.codeFor('ada@example.com') });
}

const exampleOf = (wanted: string) => calls.find(({ name }) => name === wanted)?.example;

/** Returns the IDs of existing rows for parameters such as `course_id`, and for the `id` of a collection's record. */
export function references(input: Input, rows: RowsByTable): Input {
  const named = Object.keys(input).flatMap((field) => {
    const { content_type, collection } = input;
    const named: Record<string, unknown> = { content_id: content_type, id: collection };
    const table = named[field] ?? /^(\w+)_id$/.exec(field)?.[1]?.concat('s');
    const id = rows[String(table)]?.[0]?.id;
    return id ? [[field, id]] : [];
  });
  return Object.fromEntries(named);
}
