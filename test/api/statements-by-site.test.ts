import { afterAll, beforeAll, expect, test } from 'vitest';
import { pages } from '../../server/site/pages.ts';
import { sitePaths } from '../../shared/contract/site-paths.ts';
import { measureDeliveryQueue } from '../../shared/db/delivery-queue.ts';
import { jobs } from '../../shared/db/jobs.ts';
import { parseCidr } from '../../shared/webhooks/index.ts';
import { connectAssistant } from '../support/assistant.ts';
import { type Call, calls } from '../support/calls.ts';
import { eventually } from '../support/eventually.ts';
import { startSiteForEveryCall } from '../support/every-call.ts';
import { startFollower } from '../support/follower.ts';
import { formOf, pictureElement } from '../support/images.ts';
import { addManySites } from '../support/many-sites.ts';
import { acrossSites, lookups } from '../support/statements/across-sites.ts';
import { unboundTables } from '../support/statements/bound.ts';
import { explainAll, type Faults, judgePlans, setStatistics } from '../support/statements/judge-plans.ts';
import { recordStatements } from '../support/statements/record.ts';
import { recordTransactionPauses } from '../support/statements/transaction-pauses.ts';
import { gatherNoStatistics } from '../support/statistics.ts';
import { startReceiver } from '../support/tls-receiver.ts';
import { createVisitor } from '../support/visitor.ts';
import { startTestWorker } from '../support/worker.ts';

// Every statement names the site of its rows, so that a site can be moved to another database. This test runs everything
// that the service does once and checks each recorded statement.

// Recording must begin before the first connection is opened.
const values = new Map<string, unknown>();
const recorded = recordStatements((text, given) => values.set(text, given));
const recordedPauses = recordTransactionPauses(recorded.occasion);
const receiver = await startReceiver();
const site = await startSiteForEveryCall({
  ca: receiver.ca,
  allowCidrs: [parseCidr('127.0.0.0/8')],
  lookup: async () => ['127.0.0.1'],
});
afterAll(async () => {
  recordedPauses[Symbol.dispose]();
  recorded[Symbol.dispose]();
  await site[Symbol.asyncDispose]();
  await receiver[Symbol.asyncDispose]();
});

const { app, key } = site;
let faults: Faults = new Map();
const owner = await app.seed.ownerToken();

beforeAll(async () => {
  recorded.during('filling the site');
  await site.fill();
  await gatherNoStatistics(app.deps.database);
  await addManySites(app.databaseUrl, site.siteId, 20_000);
  await setStatistics(app.databaseUrl, 'current');
  using judged = await judgePlans(app.databaseUrl, recorded.occasion);
  faults = judged.faults;
  await using _worker = await startTestWorker(app, { retrySeconds: [0, 0, 0, 0, 0] });
  for (const call of calls) await callInAllWays(call);
  await readEveryPage();
  await enterBySite();
  await assist();
  await follow();
  await work();
});

/** Calls a procedure with its whole example, and a read also with each field of the example alone. */
async function callInAllWays(call: Call) {
  recorded.during(call.title);
  await site.succeed(call);
  if (call.writes || call.title.startsWith('REST')) return;
  for (const [field, value] of Object.entries({ ...call.example, none: undefined }))
    await call.send(app, { [field]: value }, call.access === 'owner' ? owner : key);
}

async function readEveryPage() {
  const {
    posts = [],
    projects = [],
    courses = [],
    pages: custom = [],
    media = [],
  } = await site.rows.latest();
  const visit = createVisitor(app.baseUrl);
  const slugs = [posts, projects, courses, custom].flatMap((rows) => rows.flatMap(({ slug }) => slug ?? []));
  for (const [path] of pages) {
    recorded.during(path);
    const filled = path.includes(':slug') ? slugs.map((slug) => path.replace(':slug', slug)) : [path];
    const answers = await Promise.all(filled.map((url) => visit(url.replace(':tag', 'typescript'))));
    expect([path, answers.some(({ status }) => status === 200)]).toEqual([path, true]);
  }
  recorded.during('files');
  for (const { id } of media)
    await app.call('GET', `/media/${id}/a.jpg`, { headers: { accept: '*/*' } }).catch(() => {});
}

async function enterBySite() {
  recorded.during('signing in on the site');
  const visit = createVisitor(app.baseUrl);
  const email = 'eve@example.com';
  await visit(sitePaths.signIn, { form: { email } });
  await visit(sitePaths.signIn, { form: { email, code: site.mail.codeFor(email) } });
  expect((await visit(sitePaths.account)).status).toBe(200);
  await visit(sitePaths.home);
  await visit(sitePaths.signOut, { form: {} });
  await visit('/internal/domain?domain=ada.example.com');
  for (const path of ['/healthz', '/readyz']) await app.get(path);
}

async function assist() {
  recorded.during('assisting');
  await using assistant = await connectAssistant(app, key);
  await assistant.toolNames();
  await assistant.callTool('create_post', { title: 'By an assistant', is_draft: true });
  for (const tool of ['list_posts', 'list_drafts']) await assistant.callTool(tool, { collection: 'posts' });
}

async function follow() {
  recorded.during('following');
  await using follower = await startFollower(app.baseUrl, { key });
  await app.post('/api/v1/posts', { key, body: { title: 'Followed' } });
  await follower.told(1);
}

/** Lets the worker deliver, publish, make renditions and run the daily jobs. */
async function work() {
  recorded.during('the worker');
  const database = app.deps.database.em;
  await app.post('/api/admin/webhooks', {
    key: owner,
    body: { url: receiver.url, events: ['content.created'] },
  });
  await app.post('/api/v2/media', {
    key,
    ...formOf(await pictureElement('jpeg', { width: 500, height: 10 })),
  });
  const draft = await app.post('/api/v1/posts', { key, body: { title: 'Later', is_draft: true } });
  const { id } = draft.body as { id: string };
  const later = new Date(Date.now() + 3_600_000).toISOString();
  await app.post('/trpc/studio.posts.schedule', { key: owner, body: { json: { id, publish_at: later } } });
  await database.execute('update posts set publish_at = now() where site_id = ? and id = ?', [
    site.siteId,
    id,
  ]);
  // After this time all page views and retained rows are expired.
  app.clock.advance({ days: 300 });
  for (const [name, job] of Object.entries(jobs))
    if ('schedule' in job)
      await database.execute(`select graphile_worker.add_job('${name}', '{"_cron": {"ts": ""}}')`);
  await eventually(async () => {
    const left = await database.execute<unknown[]>(
      `select from graphile_worker.jobs union all select from media_to_size where site_id = ?
        union all select from posts where site_id = ? and id = ? and is_draft`,
      [site.siteId, site.siteId, id],
    );
    return left.length === 0 && receiver.requests.length > 0;
  });
  await measureDeliveryQueue(app.deps.database);
}

const names = {
  siteColumns: new Map([...site.rows.tables.map((table) => [table, 'site_id'] as const), ['sites', 'id']]),
  lookups: new Set(Object.keys(lookups)),
};

const exceptions = acrossSites.flatMap(({ statements }) => statements);

test('every statement names its site, except those that are listed with a reason', () => {
  const unknown = [...recorded.sent].flatMap(([text, occasion]) => {
    const plain = text.replace(/\s+/g, ' ').trim();
    const known = exceptions.flatMap(([table, pattern]) => (pattern.test(plain) ? [table] : []));
    const tables = unboundTables(text, names).filter(
      (table) => !known.includes('any') && !known.includes(table),
    );
    return tables.length > 0 ? [{ occasion, tables, statement: plain }] : [];
  });
  expect(unknown).toEqual([]);
});

test('no transaction waits for anything except the database: no timer, file, thread or network', () => {
  // The day's salt is stored over its own connection, because it must survive a rollback.
  const isSalt = (pause: string) => pause.startsWith('RPC site.analytics.track: after');
  expect([...recordedPauses.pauses].filter((pause) => !isSalt(pause))).toEqual([]);
});

test('with thousands of other sites, every statement uses an index and reads few more rows than it returns', () => {
  expect(Object.fromEntries(faults)).toEqual({});
});

test('every statement uses an index also while PostgreSQL has no statistics', async () => {
  await setStatistics(app.databaseUrl, 'missing');
  expect(Object.fromEntries(await explainAll(app.databaseUrl, values))).toEqual({});
});

test('each exception listed for statements without a site is used by a statement', () => {
  const all = [...recorded.sent.keys()].map((text) => text.replace(/\s+/g, ' ').trim());
  const unneeded = exceptions.filter(([, pattern]) => !all.some((text) => pattern.test(text)));
  expect(unneeded).toEqual([]);
});
