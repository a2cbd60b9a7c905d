import { sql } from 'kysely';
import { expect, inject, test } from 'vitest';
import { listDeliveries } from '../../server/events/webhooks/delivery-log.ts';
import { allResources } from '../../shared/contract/resources/index.ts';
import type { Database } from '../../shared/db/config.ts';
import { startApp } from '../support/app.ts';
import { addBuyer, buyerToken } from '../support/attacks/full-site.ts';
import { hasOldestDatabase, startOldestDatabase } from '../support/oldest-database.ts';
import { ownerClient } from '../support/rpc.ts';
import { type Executed, recordPlans } from '../support/statements/plans.ts';
import { createVisitor } from '../support/visitor.ts';

// Query plans of pages, lists and triggers in a database with 2,000 other sites.

const people = ['members', 'subscribers', 'purchases', 'enrollments', 'testimonials'];
const others = ['media', 'redirects', 'audit_log', 'trash', 'record_revisions', 'webhook_deliveries'];
const tables = [...Object.keys(allResources), ...people, ...others];

const ownRows = 300;

const idOf = (n: number) => String(n).padStart(15, '0');

interface Rows {
  /** SQL for the IDs of the sites to fill. */
  from: string;
  /** Number of rows per site. */
  rows: number;
  /** Number of rows that each site already has. */
  after?: number;
}

/** Fills a table with generated rows, whatever its columns. */
async function fill({ em }: Database, table: string, { from, rows, after = 0 }: Rows) {
  const columns = await sql<{ name: string; type: string }>`
    select column_name as name, data_type as type from information_schema.columns
    where table_schema = 'public' and table_name = ${table} and is_generated = 'NEVER'`.execute(
    em.getKysely(),
  );
  await em.fork().transactional(async (within) => {
    // Without triggers, a table's rows do not require rows in other tables.
    await within.execute('set local session_replication_role = replica');
    await sql`
      insert into ${sql.table(table)} (${sql.join(columns.rows.map(({ name }) => sql.ref(name)))})
      select ${sql.join(columns.rows.map(({ name, type }) => generated(name, type)))}
      from (${sql.raw(from)}) of_sites (site), generate_series(${after + 1}::integer, ${after + rows}::integer) n`.execute(
      within.getKysely(),
    );
  });
}

function generated(name: string, type: string) {
  const id = sql`lpad(n::text, 15, '0')`;
  const byName: Record<string, ReturnType<typeof sql>> = {
    site_id: sql`site`,
    id,
    course_id: id,
    module_id: id,
    content_id: id,
    dispute: sql`'none'`,
    source: sql`'owner'`,
    provider: sql`'gumroad'`,
    external_id: id,
    offer_id: sql`null`,
    record_id: id,
    subscription_id: sql`'subscription'`,
    visibility: sql`'public'`,
    status: sql`'active'`,
    access_tier: sql`'free'`,
    content_type: sql`'posts'`,
    currency: sql`'EUR'`,
    collection: sql`'posts'`,
    actor: sql`'{"kind": "owner", "id": "a", "name": "A"}'`,
    // Recent rows belong to the other sites.
    created: sql`case when site like 'other%' then now() else now() - interval '1 day' end - n * interval '1 minute'`,
    is_draft: sql`false`,
    publish_at: sql`null`,
    focus: sql`null`,
  };
  const byType: Record<string, ReturnType<typeof sql>> = {
    ARRAY: sql`'{}'`,
    boolean: sql`true`,
    integer: sql`n`,
    bigint: sql`n`,
    numeric: sql`n`,
    json: sql`'{}'`,
    jsonb: sql`'{}'`,
    'timestamp with time zone': sql`now() - n * interval '1 minute'`,
  };
  if (name.endsWith('date')) return sql`'2026-01'`;
  return byName[name] ?? byType[type] ?? sql`${sql.lit(name)} || n`;
}

async function startAmongOthers(serverUrl: string) {
  await using stack = new AsyncDisposableStack();
  const app = stack.use(await startApp({ serverUrl }));
  const siteId = await app.seed.ownSite();
  const { database } = app.deps;
  for (const table of tables) {
    await fill(database, table, { from: `select 'other' || s from generate_series(1, 2000) s`, rows: 3 });
    await fill(database, table, { from: `select '${siteId}'`, rows: ownRows });
  }
  await database.em.execute('analyze');
  const plans = stack.use(await recordPlans(app.databaseUrl));
  const all = stack.move();
  return Object.assign(app, { siteId, plans, [Symbol.asyncDispose]: () => all.disposeAsync() });
}

/** Returns plan nodes that scan a table, use an index without the site, or read more than `most` rows. */
function faultsOf(executed: readonly Executed[], max = ownRows) {
  return executed.flatMap(({ text, nodes }) =>
    nodes.flatMap((node) => {
      const { 'Node Type': type, 'Index Name': index, 'Index Cond': condition = '' } = node;
      const table = tables.find((name) => name === node['Relation Name'] || index?.startsWith(`${name}_`));
      const looked = (node['Actual Rows'] + (node['Rows Removed by Filter'] ?? 0)) * node['Actual Loops'];
      const isBad =
        type === 'Seq Scan' || (index !== undefined && !condition.includes('site_id')) || looked > max;
      return table && isBad ? [[text.slice(0, 300), JSON.stringify({ ...node, Plans: undefined })]] : [];
    }),
  );
}

async function expectGoodPlans(serverUrl: string) {
  await using app = await startAmongOthers(serverUrl);
  const { plans, siteId } = app;
  const { studio } = ownerClient(app.baseUrl, await app.seed.ownerToken(siteId));

  const deliveries = { site_id: siteId, subscription_id: 'subscription' };

  const visit = createVisitor(app.baseUrl);
  const pages = await plans.of(async () => {
    for (const path of ['/talks', '/courses', '/projects', '/cv', '/talks?page=2'])
      expect([path, (await visit(path)).status]).toEqual([path, 200]);
  });
  expect(pages.length).toBeGreaterThan(20);
  expect(faultsOf(pages)).toEqual([]);

  const lists = await plans.of(async () => {
    for (const input of [{}, { page: 3 }]) {
      await studio.members.list.query(input);
      await studio.subscribers.list.query(input);
      await studio.purchases.list.query(input);
      await studio.enrollments.list.query(input);
      await studio.testimonials.list.query(input);
      await studio.media.list.query(input);
      await studio.redirects.list.query(input);
      await studio.audit.list.query(input);
      await studio.trash.list.query(input);
      await studio.skills.list.query(input);
      await studio.posts.list.query(input);
      await studio.posts.revisions.query({ ...input, id: idOf(1) });
      await listDeliveries(app.deps, deliveries, { page: 1, per_page: 50, ...input });
    }
  });
  expect(lists.length).toBeGreaterThan(40);
  expect(faultsOf(lists)).toEqual([]);

  const writes = await plans.of(async () => {
    const { id } = await studio.modules.create.mutate({ title: 'New', course_id: idOf(1) });
    await studio.modules.update.mutate({ id, course_id: idOf(2) });
    const lesson = await studio.lessons.create.mutate({ title: 'New', module_id: id });
    await studio.lessons.update.mutate({ id: lesson.id, module_id: idOf(1) });
  });
  expect(writes.filter(({ text }) => text.includes('limit most + 1'))).toHaveLength(4);
  expect(faultsOf(writes, ownRows + 2)).toEqual([]);

  const key = await app.seed.key({ siteId, scopes: ['read'] });
  await app.deps.database.em.execute('delete from purchases where site_id = ?', [siteId]);
  await app.deps.database.em.execute(`update posts set access_tier = 'paid' where site_id = ?`, [siteId]);
  await addBuyer({ deps: app.deps, siteId }, 5_000);
  const reads = await plans.of(() =>
    app.get('/api/v1/posts', { key, headers: { 'x-member-token': buyerToken } }),
  );
  expect(reads.filter(({ text }) => /purchases|bought/.test(text))).toHaveLength(2);
  expect(faultsOf(reads, 1_001)).toEqual([]);

  await fill(app.deps.database, 'skills', { from: `select '${siteId}'`, rows: 12_000, after: ownRows });
  await app.deps.database.em.execute('vacuum analyze skills');
  const large = await plans.of(() => app.get('/api/v1/skills?fields=id', { key }));
  const [sizes] = large.filter(({ text }) => text.includes('with listed as'));
  expect(faultsOf(sizes ? [sizes] : [], 10_486)).toEqual([]);
  expect(sizes?.nodes.some((node) => node['Actual Rows'] === 10_486)).toBe(true);
}

test('beside 2,000 sites, pages, lists and triggers read only rows of their own site, by its indexes', () =>
  expectGoodPlans(inject('databaseUrl')));

test.runIf(hasOldestDatabase)(
  'beside 2,000 sites, the oldest supported PostgreSQL also reads only rows of their own site for pages, lists and triggers',
  async () => {
    await using oldest = await startOldestDatabase();
    await expectGoodPlans(oldest.url);
  },
);
