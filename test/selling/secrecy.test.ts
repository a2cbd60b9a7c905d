import { readFile } from 'node:fs/promises';
import { gunzipSync } from 'node:zlib';
import { extract } from 'tar-stream';
import { expect, test } from 'vitest';
import { scopeNames } from '../../shared/contract/scopes.ts';
import { createMetrics } from '../../shared/runtime/metrics-server.ts';
import { parseCidr } from '../../shared/webhooks/index.ts';
import { archiveOf, filesOf } from '../support/archives.ts';
import { connectAssistant } from '../support/assistant.ts';
import { makeFolder, readRows, runOps } from '../support/backups.ts';
import { calls } from '../support/calls.ts';
import { eventually } from '../support/eventually.ts';
import { captureLog } from '../support/log.ts';
import { startMailServer } from '../support/mail-server.ts';
import { recordAnswers } from '../support/record-answers.ts';
import { refusal, visitorClient } from '../support/rpc.ts';
import { beginCheckout } from '../support/sales-history.ts';
import { startConnectedSite } from '../support/selling-site.ts';
import { StripeRefusal } from '../support/stripe/refusal.ts';
import { startReceiver } from '../support/tls-receiver.ts';
import { pathsOf, withIds } from '../support/walk-site.ts';
import { startTestWorker } from '../support/worker.ts';

const publicUrl = new URL('https://ada.example.com');
const [grace, ada] = ['grace@example.com', 'ada@example.com'];

const isLong = process.env.FAULTS === 'long';

/** Starts a connected site whose answers, log, emails, webhooks and metrics are recorded. */
async function startRecordedSite() {
  await using stack = new AsyncDisposableStack();
  const recording = stack.use(recordAnswers());
  const log = captureLog();
  const mail = stack.use(await startMailServer());
  const receiver = stack.use(await startReceiver());
  const metrics = createMetrics();
  const site = stack.use(
    await startConnectedSite({
      ...{ livemode: true, logger: log.logger, metrics, smtpUrl: mail.url },
      config: { countsTest: false },
      webhooks: { ca: receiver.ca, allowCidrs: [parseCidr('127.0.0.0/8')] },
    }),
  );
  // Stripe sends webhooks to https only. Requests of the test come without it.
  site.deps.config.publicUrl = publicUrl;
  await site.studio.payments.connect.mutate({ key: site.account.key, confirm: true });
  site.stripe.webhooks.sendTo(new URL(site.baseUrl));
  const key = await site.seed.key({ scopes: scopeNames });
  await site.post('/api/v2/webhooks', { key, body: { url: receiver.url, events: ['*'] } });
  const portOf = (url: string | URL) => Number(new URL(url).port);
  const cleanUp = stack.move();
  return {
    ...{ ...site, key, log, mail, metrics, receiver },
    answers: () => recording.answers.filter(({ port }) => port === portOf(site.baseUrl)),
    /** Webhook secrets, and references to portals and customers, that Stripe ever returned. */
    issued: () => {
      const texts = recording.answers.filter(({ port }) => port === portOf(site.stripe.url));
      return new Set(texts.flatMap(({ text }) => text.match(/\b(whsec|bpc|cus)_\w+/g) ?? []));
    },
    [Symbol.asyncDispose]: () => cleanUp.disposeAsync(),
  };
}

type RecordedSite = Awaited<ReturnType<typeof startRecordedSite>>;

/** Connects the site with keys that are refused, each in another way. Returns the keys. */
async function connectInVain(site: RecordedSite): Promise<string[]> {
  const { stripe, studio } = site;
  const connect = (key: string) => refusal(studio.payments.connect.mutate({ key }));
  const { key: weak } = stripe.createAccount({ livemode: true, permissions: { charge: 'none' } });
  const { key: another } = stripe.createAccount({ livemode: true });
  const { key: ofTests } = stripe.createAccount({ id: site.account.id, livemode: false });
  const unknown = ['rk_live_UNKNOWNCANARY0123', 'sk_live_UNKNOWNCANARY0123'];
  const notKeys = ['pk_live_UNKNOWNCANARY0123', 'rk_live_UNKNOWN CANARY', 'whsec_UNKNOWNCANARY0123'];
  const keys = [weak, another, ofTests, ...unknown, ...notKeys];
  for (const key of keys)
    expect([key, await connect(key)]).toMatchObject([key, { code: 'validation_failed' }]);
  for (const fate of ['429', '500'] as const) {
    stripe.next(fate);
    expect([fate, await connect(another)]).toMatchObject([fate, { code: 'provider_unavailable' }]);
  }
  return keys;
}

/** A member buys a post, and joins. Stripe reports it, and the site receives wrong reports too. */
async function sell(site: RecordedSite) {
  const { stripe, visit, mail } = site;
  const { id: post } = await site.sellPost();
  const { id: month } = await site.sellMembership({ trial_days: 14 });
  expect((await visit(`/buy/${post}`, { form: { email: grace } })).status).toBe(303);
  const checkout = await site.post('/api/v2/checkouts', {
    key: site.key,
    body: {
      ...{ offer_id: month, email: grace },
      ...{ success_url: `${publicUrl.origin}/thanks`, cancel_url: `${publicUrl.origin}/` },
    },
  });
  expect(checkout.status).toBe(201);
  for (const { id } of site.sessions()) await stripe.pay(id);
  await stripe.webhooks.idle();
  expect(new Set(stripe.webhooks.statuses)).toEqual(new Set([200]));
  const [connection] = await site.deps.database.em
    .fork()
    .execute<{ id: string }[]>('select id from payment_connections');
  for (const [id, signature] of [
    [connection?.id, 't=1,v1=00'],
    ['a'.repeat(22), 't=1,v1=00'],
  ])
    await site.post(`/hooks/stripe/${id}`, { body: '{}', headers: { 'stripe-signature': `${signature}` } });
  await site.passNow();
  await visit('/sign-in', { form: { email: grace } });
  await visit('/sign-in', { form: { email: grace, code: mail.codeFor(grace) } });
  const { key } = site;
  const idOf = async (list: string) => {
    const { body } = await site.get(`/api/v2/${list}`, { key });
    return (body as { items: { id: string }[] }).items[0]?.id ?? '';
  };
  const purchase = await idOf('purchases');
  const membership = await idOf('memberships');
  return { post, month, purchase, membership, checkout: Object(checkout.body).id as string };
}

type Sold = Awaited<ReturnType<typeof sell>>;

/** The member looks at the account, its receipts and its portal. Returns the statuses. */
async function manage({ visit }: RecordedSite, { purchase, membership }: Sold) {
  const pages = [
    await visit('/account'),
    await visit(`/account/receipts/${purchase}`),
    await visit('/account/billing', { form: { membership_id: membership } }),
  ];
  return pages.map(({ status }) => status);
}

/** Stripe answers every call with an error that quotes all secrets. */
async function quoteSecrets(site: RecordedSite, sold: Sold, keys: string[]) {
  const { stripe, studio, account, baseUrl } = site;
  const hidden = keys.map((key) => `${key.slice(0, 8)}${'*'.repeat(8)}${key.slice(-4)}`);
  const quoted = [...keys, ...hidden, ...site.issued()].join("', '");
  for (const status of [400, 404, 401, 403, 429, 500]) {
    stripe.onCall(() => {
      throw new StripeRefusal(status, `Not for '${quoted}'`);
    });
    await manage(site, sold);
    await site.visit(`/buy/${sold.post}`, { form: { email: ada } });
    const { checkout } = visitorClient(baseUrl).site;
    await refusal(checkout.begin.mutate({ offer_id: sold.month, email: `${status}@example.com` }));
    await site.post('/api/v2/checkouts', {
      key: site.key,
      body: { offer_id: sold.post, email: ada, success_url: publicUrl.href, cancel_url: publicUrl.href },
    });
    await refusal(studio.payments.connect.mutate({ key: keys.at(-1) ?? '', confirm: true }));
    await studio.payments.sync.mutate();
    await site.passNow();
    stripe.onCall(() => {});
    const input = { key: account.key, confirm: true };
    await studio.payments.connect.mutate(input);
    expect(await studio.payments.get.query()).toMatchObject({ state: 'active', webhook: true });
  }
}

/** Payments are refunded, disputed and charged back, and the membership ends. */
async function reverse(site: RecordedSite) {
  const { stripe, ledger, clock } = site;
  const [charge] = ledger().charges;
  await stripe.refund(charge?.id ?? '', 100);
  const { id } = await stripe.dispute(charge?.id ?? '');
  await stripe.closeDispute(id, 'lost');
  const [subscription] = ledger().subscriptions;
  await stripe.renew(subscription?.id ?? '');
  await stripe.failRenewal(subscription?.id ?? '');
  await stripe.webhooks.idle();
  clock.advance({ minutes: 1 });
  await site.passNow();
}

/** Visits every page, calls every procedure with the ids of sales, and every tool that only reads. */
async function walk(site: RecordedSite, sold: Sold, { writes }: { writes: boolean }) {
  const { visit, key } = site;
  const values = { slug: 'sleep', offer: sold.post, purchase: sold.purchase, membership: sold.membership };
  for (const path of [...pathsOf(values), '/openapi.json', '/docs', '/healthz', '/readyz'])
    if (path !== '/sign-out') await visit(path);
  await using assistant = await connectAssistant(site, key);
  for (const name of await assistant.toolNames())
    if (/^(get|list|search)/.test(name))
      for (const input of [{}, { id: sold.purchase }]) await assistant.callTool(name, input).catch(() => {});
  const ids = [...Object.values(sold), site.siteId, 'sleep'];
  // Each procedure is called over RPC first. The short form repeats only accepted inputs over REST, if there are any.
  const accepted = new Map<string, Record<string, unknown>[]>();
  for (const call of calls.filter((call) => call.writes === writes)) {
    // Some calls end the session or the key that they come with.
    const keys = { key, owner: await site.seed.ownerToken(), public: '' };
    const own = keys[call.access ?? 'public'];
    const inputs = withIds(call.example, ids);
    const isRepeated = call.title.startsWith('REST') && !isLong;
    for (const input of isRepeated ? (accepted.get(call.name) ?? inputs) : inputs) {
      const { status } = await call.send(site, input, own);
      if (status < 300) accepted.set(call.name, [...(accepted.get(call.name) ?? []), input]);
    }
    await call.send(site, { ...call.example, unlisted: 1 }, own);
    const others = Object.values(keys).filter((other) => other !== own);
    for (const other of others) await call.send(site, inputs[0] ?? {}, other);
  }
}

/** Files of a backup, decompressed, by name. */
async function readBackup(site: RecordedSite): Promise<Map<string, string>> {
  await using folder = await makeFolder();
  const file = folder.at('backup.tar');
  const source = { dataDir: folder.at('data'), databaseUrl: site.databaseUrl, mediaDir: site.mediaDir };
  expect(await runOps(['backup', file], source)).toMatchObject({ exitCode: 0 });
  const files = new Map<string, string>();
  const tar = extract();
  tar.end(await readFile(file));
  for await (const entry of tar) {
    const chunks: Buffer[] = [];
    for await (const chunk of entry) if (Buffer.isBuffer(chunk)) chunks.push(chunk);
    const { name } = entry.header;
    const bytes = Buffer.concat(chunks);
    files.set(name, (name.endsWith('.gz') ? gunzipSync(bytes) : bytes).toString());
  }
  return files;
}

/** Runs the worker until it has sent every email and webhook. */
async function sendAll(site: RecordedSite) {
  const mails: unknown[] = [];
  const worker = await startTestWorker(site, {
    ...{ publicUrl, logger: site.log.logger },
    mail: { send: async (mail) => void mails.push(mail) },
  });
  const { em } = site.deps.database;
  await eventually(async () => {
    const [left] = await em.fork().execute<{ jobs: number; deliveries: number }[]>(
      `select (select count(*)::int from graphile_worker._private_jobs where attempts < max_attempts) as jobs,
        (select count(*)::int from webhook_deliveries where status not in ('delivered', 'failed', 'cancelled')) as deliveries`,
    );
    return left?.jobs === 0 && left.deliveries === 0;
  });
  await worker[Symbol.asyncDispose]();
  return mails;
}

/** Columns of rows that contain one of these texts. */
const columnsWith = (tables: Record<string, unknown[]>, texts: Iterable<string>) => {
  const wanted = [...texts];
  const found = Object.entries(tables).flatMap(([table, rows]) =>
    rows.flatMap((row) =>
      Object.entries(Object(row)).flatMap(([column, value]) =>
        wanted.some((text) => JSON.stringify(value).includes(text)) ? [`${table}.${column}`] : [],
      ),
    ),
  );
  return [...new Set(found)].toSorted();
};

test('keys and webhook secrets of Stripe, and references to its portals and customers, are in no answer, log line, email, webhook, metric, archive or backup, except the columns that name them', async () => {
  await using site = await startRecordedSite();
  const { stripe, studio, account, log } = site;
  const vain = await connectInVain(site);
  const sold = await sell(site);
  expect(await manage(site, sold)).toEqual([200, 303, 303]);
  if (isLong) await walk(site, sold, { writes: false });
  await reverse(site);

  const { key: next } = stripe.createAccount({ id: account.id, livemode: true });
  const keys = [...vain, account.key, next];
  await quoteSecrets(site, sold, keys);
  stripe.revokeKey(account.key);
  expect(await refusal(beginCheckout(site, sold.post, ada))).toMatchObject({
    code: 'payments_not_configured',
  });
  // The connection is broken.
  if (isLong) await walk(site, sold, { writes: false });
  const mails = await sendAll(site);
  expect(await studio.payments.connect.mutate({ key: next })).toMatchObject({ state: 'active' });
  await stripe.deleteCustomer(site.ledger().customers[0]?.id ?? '');
  expect(await manage(site, sold)).toEqual([200, 303, 404]);

  const archive = await filesOf(await archiveOf(site, site.siteId));
  const backup = await readBackup(site);
  const rows = await readRows(site.databaseUrl);
  await walk(site, sold, { writes: false });
  await walk(site, sold, { writes: true });

  const issued = site.issued();
  const isSecret = (text: string) => text.startsWith('whsec');
  const secrets = [...keys.filter((key) => key.length > 12), ...[...issued].filter(isSecret)];
  const portals = [...issued].filter((text) => text.startsWith('bpc'));
  const customers = [...issued].filter((text) => text.startsWith('cus'));
  expect([secrets.length > 8, portals.length > 2, customers.length > 0]).toEqual([true, true, true]);
  const encoded = secrets.flatMap((secret) =>
    (['base64', 'base64url', 'hex'] as const).map((encoding) => Buffer.from(secret).toString(encoding)),
  );
  const hidden = /\b(rk|sk|whsec)_\w*\*{3}/;
  const hasAny = (text: string, wanted: readonly string[]) =>
    hidden.test(text) || wanted.some((one) => text.includes(one));

  const references = [...portals, ...customers];
  const everything = [...secrets, ...encoded, ...references];
  const answers = site.answers();
  const leaking = answers.filter(({ text }) => hasAny(text, everything));
  expect.soft(leaking).toEqual([]);
  const lines = log.text().split('\n');
  expect.soft(lines.filter((line) => hasAny(line, everything))).toEqual([]);
  const hooks = site.receiver.requests.map(({ headers, body }) => JSON.stringify([headers, String(body)]));
  expect.soft(hooks.filter((text) => hasAny(text, everything))).toEqual([]);
  const sent = [...mails.map((one) => JSON.stringify(one)), ...site.mail.mails.map(({ raw }) => raw)];
  expect.soft(sent.filter((text) => hasAny(text, everything))).toEqual([]);
  expect.soft(hasAny(await site.metrics.metrics(), everything)).toBe(false);

  // Archives are files of the owner. They carry the customer of a membership, so that its portal works after a transfer.
  const filesWith = (files: Map<string, string>, wanted: readonly string[]) =>
    [...files].filter(([, text]) => hasAny(text, wanted)).map(([name]) => name);
  expect.soft(filesWith(archive, [...secrets, ...encoded, ...portals])).toEqual([]);
  expect.soft(filesWith(archive, customers)).toEqual([expect.stringContaining('memberships')]);
  expect.soft(filesWith(backup, [...secrets, ...encoded])).toEqual([]);
  const ofReferences = ['memberships.customer_ref', 'payment_connections.portal_ref'];
  expect.soft(columnsWith(rows, references)).toEqual(ofReferences);
  const jobs = await site.deps.database.em.fork().execute('select * from graphile_worker._private_jobs');
  const after = { ...(await readRows(site.databaseUrl)), jobs };
  expect.soft(columnsWith(after, [...secrets, ...encoded])).toEqual([]);
  // The job that ends pages of a former account names it by its portal.
  const allowed = [...ofReferences, 'jobs.payload'];
  expect.soft(columnsWith(after, references).filter((name) => !allowed.includes(name))).toEqual([]);

  // The recordings contain what they should.
  const has = (text: string) => expect.stringContaining(text);
  const texts = answers.map(({ text }) => text).join('\n');
  for (const shown of ['The secret of sleep.', 'Not for ', '"webhook":true', grace])
    expect.soft(texts.includes(shown), shown).toBe(true);
  expect.soft(lines).toContainEqual(has('Not for '));
  expect.soft(filesWith(backup, portals)).toEqual([has('payment_connections')]);
  expect.soft([...archive.values()]).toContainEqual(has(grace));
  expect.soft(hooks).toContainEqual(has('purchase.completed'));
  expect.soft(sent).toContainEqual(has('Stripe'));
  expect.soft(new Set(answers.map(({ status }) => status)).size).toBeGreaterThan(10);
});
