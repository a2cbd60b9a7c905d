import { sql } from 'kysely';
import { afterAll, expect, test } from 'vitest';
import { z } from 'zod';
import { allOf, conditionsOf, type Filter } from '../../server/api/filter-sql.ts';
import { conditionsOn, ofSite } from '../../server/audience/members/store.ts';
import { aroundQuery, pinnedRows } from '../../server/content/posts/neighboring-posts.ts';
import { deepPage, partQuery } from '../../server/content/records/filtered-list.ts';
import { everything, isFound, type ListQuery, rowsOfList } from '../../server/content/records/list-query.ts';
import { inOrder, newestFirst, orderOf } from '../../server/content/records/order.ts';
import { memberFilters } from '../../shared/contract/features/member.ts';
import { type FilterableFields, filtersOf } from '../../shared/contract/filters.ts';
import { sortsOf } from '../../shared/contract/pagination.ts';
import type { Resource } from '../../shared/contract/resource.ts';
import { resources } from '../../shared/contract/resources/index.ts';
import { startApp } from '../support/app.ts';
import { gatherNoStatistics, runSlowStatement } from '../support/statistics.ts';

// Query plans of lists: they use an index, and read no rows of other sites.

const app = await startApp();
afterAll(() => app[Symbol.asyncDispose]());
const { database } = app.deps;
await gatherNoStatistics(database);

const all: readonly Resource[] = Object.values(resources);
const sites = { large: 'large-site', small: 'small-site', unknown: 'a-new-site' };
const statistics = ['not gathered', 'gathered', 'older than the site'];

for (const state of statistics) {
  test(`statistics ${state}: every filter of every resource, in every order, for readers and owners`, async () => {
    if (state === 'not gathered') await fill(sites.large, 800);
    if (state === 'not gathered') await fill(sites.small, 200);
    if (state === 'gathered') await runSlowStatement(app, 'vacuum analyze');
    if (state === 'older than the site') await fill(sites.unknown, 800);
    const siteId = state === 'older than the site' ? sites.unknown : sites.large;
    for (const resource of all) {
      for (const filter of filtersFor(resource.fields, { q: 'common' })) {
        for (const audience of ['readers', 'owner'] as const) {
          const conditions = conditionsOf(resource.fields, filter);
          const listQuery = { collection: { deps: app.deps, siteId, resource }, audience, conditions };
          await expectGoodPlans(`${resource.collection} ${JSON.stringify(filter)}`, listQuery);
        }
      }
    }
    await expectPinnedByItsIndex(siteId);
    for (const filter of filtersFor(memberFilters)) {
      const members = database.em.getKysely().selectFrom('members').select('id');
      const matching = members.where(ofSite(siteId, filter)).where(allOf(conditionsOn(filter)));
      const plan = await matching.explain('json');
      expect([filter, faultsOf(plan)]).toEqual([filter, []]);
    }
  });
}

async function expectGoodPlans(title: string, listQuery: ListQuery) {
  const { fields } = listQuery.collection.resource;
  const orders = sortsOf(fields).map(orderOf);
  const parts = orders.map((order) => partQuery(listQuery, { order, limit: 21 }));
  const whole = inOrder(rowsOfList(listQuery).select(['id', 'created', 'visibility']), newestFirst);
  const isFar = listQuery.audience === 'readers' && isFound(listQuery);
  const byTime = orders.filter(({ isByTime: isOfMoments }) => isFar && isOfMoments);
  const far = byTime.map((order) => deepPage(listQuery, { order, limit: 21, offset: 200 }));
  for (const query of [...parts, ...far, whole])
    expect([title, faultsOf(await query.explain('json'))]).toEqual([title, []]);
}

/** Expects that pinned posts are found through their index, without reading the other posts of the site. */
async function expectPinnedByItsIndex(siteId: string) {
  const pinned = pinnedRows({ deps: app.deps, siteId, resource: resources.posts }).select(['id', 'title']);
  const plan = await pinned.explain('json');
  expect(faultsOf(plan)).toEqual([]);
  expect(nodesIn(plan).at(-1)?.['Index Name']).toBe('posts_pinned_idx');
}

test('the neighbors of a post are read from the index of the list', async () => {
  const collection = { deps: app.deps, siteId: sites.large, resource: resources.posts };
  const [{ id } = { id: '' }] = await inOrder(
    rowsOfList({ collection, audience: 'readers', conditions: everything }).select('id'),
    newestFirst,
  )
    .offset(300)
    .limit(1)
    .execute();
  const nodes = nodesIn(await aroundQuery(collection, id).explain('json'));
  const ofList = nodes.filter((node) => node['Index Name'] === 'posts_list_published_at_idx');
  expect(ofList).toHaveLength(3);
  expect(ofList.filter((node) => /ROW\(/.test(String(node['Index Cond'])))).toHaveLength(2);
  expect(nodes.filter((node) => node['Node Type'] === 'Seq Scan')).toEqual([]);
});

test('the posts of a page are read in publication order from either end, without sorting', async () => {
  const collection = { deps: app.deps, siteId: sites.large, resource: resources.posts };
  const posts = rowsOfList({ collection, audience: 'readers', conditions: everything }).select('id');
  for (const sort of ['-published_at', 'published_at'] as const) {
    const nodes = nodesIn(await inOrder(posts, orderOf(sort)).limit(20).explain('json'));
    expect(nodes.map((node) => node['Node Type'])).toEqual(['Limit', 'Index Only Scan']);
    expect(nodes.at(-1)?.['Index Name']).toBe('posts_list_published_at_idx');
  }
});

/** Returns one filter for each parameter of a list. */
function filtersFor(fields: FilterableFields, additional: Filter = {}): Filter[] {
  const own = filtersOf(fields).map(({ parameter, kind, question }) => ({
    [parameter]: question === 'any' ? ['a', 'b'] : question === 'is' ? true : (points[kind] ?? 1),
  }));
  return [{}, additional, ...own, { ...additional, ...own[0] }];
}

const points: Record<string, unknown> = { moment: new Date('2026-01-31'), partial_date: '2026-01' };

interface Node {
  'Node Type': string;
  'Index Name'?: string | undefined;
  'Index Cond'?: string | undefined;
  Plans?: Node[] | undefined;
}

const Plan: z.ZodType<Node> = z.lazy(() =>
  z.object({
    'Node Type': z.string(),
    'Index Name': z.string().optional(),
    'Index Cond': z.string().optional(),
    Plans: z.array(Plan).optional(),
  }),
);

const Explained = z.array(z.object({ 'QUERY PLAN': z.array(z.object({ Plan })) }));

/** Returns the nodes of a plan that read a table without an index condition on the site. */
function faultsOf(explained: unknown): string[] {
  const nodes = nodesIn(explained);
  expect(nodes.some((node) => node['Index Name'])).toBe(true);
  return nodes.flatMap((node) => {
    if (node['Node Type'].endsWith('Seq Scan')) return [node['Node Type']];
    const isIndex = node['Index Name'] !== undefined;
    return isIndex && !node['Index Cond']?.includes('site_id') ? [JSON.stringify(node)] : [];
  });
}

function nodesIn(explained: unknown): Node[] {
  const [row] = Explained.parse(explained);
  return row?.['QUERY PLAN'].flatMap(({ Plan }) => nodesOf(Plan)) ?? [];
}

const nodesOf = (node: Node): Node[] => [node, ...(node.Plans ?? []).flatMap(nodesOf)];

/** Adds `rows` rows to each content table and to members of a site, most of them public. */
async function fill(site: string, rows: number) {
  const db = database.em.getKysely();
  for (const table of [...all.map(({ collection }) => collection), 'members']) {
    const { rows: columns } = await sql<{ name: string; type: string }>`
      select column_name as name, data_type as type from information_schema.columns
      where table_schema = 'public' and table_name = ${table} and is_generated = 'NEVER'`.execute(db);
    const values = columns.map(({ name, type }) => generated(name, type, site));
    await sql`
      insert into ${sql.table(table)} (${sql.join(columns.map(({ name }) => sql.ref(name)))})
      select ${sql.join(values)} from generate_series(1, ${rows}::integer) n`.execute(db);
  }
}

function generated(name: string, type: string, site: string) {
  const text = sql`left(md5(${name} || n), 15)`;
  const byName: Record<string, ReturnType<typeof sql>> = {
    site_id: sql`${site}::text`,
    visibility: sql`case when n % 9 = 0 then 'private' else 'public' end`,
    is_draft: sql`n % 7 = 0`,
    // Only drafts have a publication schedule.
    publish_at: sql`case when n % 7 = 0 then now() end`,
    title: sql`'common ' || ${text}`,
  };
  const byType: Record<string, ReturnType<typeof sql>> = {
    ARRAY: sql`array['a', ${text}]`,
    boolean: sql`n % 2 = 0`,
    integer: sql`n`,
    numeric: sql`n`,
    'timestamp with time zone': sql`timestamptz '2026-01-01' + n * interval '1 minute'`,
  };
  if (name.endsWith('date')) return sql`'2026-01'`;
  return byName[name] ?? byType[type] ?? text;
}
