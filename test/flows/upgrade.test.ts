import { expect, test } from 'vitest';
import { z } from 'zod';
import { fillWithExample } from '../../server/demo/fill.ts';
import { contentCollections } from '../../shared/contract/resources/index.ts';
import { scopeNames } from '../../shared/contract/scopes.ts';
import { migrate } from '../../shared/db/migrate.ts';
import { baseline, migrations } from '../../shared/db/migrations/index.ts';
import type { TestApp } from '../support/app.ts';
import { readRows } from '../support/backups.ts';
import { createEmptyDatabase } from '../support/empty-database.ts';
import { keyEndpoints } from '../support/endpoints.ts';
import { startSiteForEveryCall } from '../support/every-call.ts';
import { createCaller } from '../support/http.ts';
import { startServerProcess, withoutLimits } from '../support/server-process.ts';

/** Tables that were added after the baseline. */
const addedSince = [
  'lesson_progress',
  'memberships',
  'offers',
  'checkouts',
  'payment_connections',
  'previews',
  'password_resets',
  'mailings',
  'mailing_recipients',
  'mail_keys',
  'suppressions',
  'mail_counts',
  'invitations',
  'factors',
  'recovery_codes',
  'factor_challenges',
  'oauth_clients',
  'oauth_grants',
  'oauth_tokens',
];

/** SQL for the values that migrations since the baseline give to existing rows. */
const givenSince = `
  update sites set currency = null, time_zone = 'UTC', theme = theme || '{"look": "journal", "logo": null, "icon": null}',
    newsletter = '{"confirm": null, "from_name": "", "reply_to": "", "postal_address": ""}';
  update sites set selling = '{"terms_url": "", "note": ""}';
  update purchases set provider = 'manual', external_id = null, refunded_amount = 0, dispute = 'none', revoked_at = null,
    charge_ref = null, offer_id = null, account_key = null, livemode = true, updated = created;
  update enrollments e set source = case when exists (
      select from purchases p where p.site_id = e.site_id and p.buyer_email = e.buyer_email
        and p.content_type = 'courses' and p.content_id = e.course_id
    ) then 'purchase' else 'owner' end,
    ended_at = null, certificate_id = null, certificate_name = null, certificate_title = null;
  update courses set lessons_published = false;
  update lessons set is_preview = false;
  update subscribers set confirmed_at = null;
  update media set caption = '', focus = null, protected = false;
  update trash_parts set content = null;
  update owner_sessions set last_used_at = null, browser = null, address = null, proved_at = null;
  ${[...contentCollections, 'media'].map((table) => `update ${table} set created_by = null;`).join('\n')}
  truncate ${addedSince.join(', ')}`;

/** SQL that removes such values from rows that must equal the earlier ones. */
const takenOut = `update sites set theme = theme - 'look' - 'logo' - 'icon'`;

test('a database of the baseline with rows in every table keeps all of them through later migrations, and reads like a new one', async () => {
  await using site = await startSiteForEveryCall();
  const { app } = site;
  await site.fill();
  const example = await app.seed.site();
  await fillWithExample(app.deps, example);
  for (const [table, found] of Object.entries(await readRows(app.databaseUrl)))
    if (found.length === 0 && !addedSince.includes(table))
      await app.deps.database.em.execute(`
        set session_replication_role = replica; ${await anyRow(app, table)}; reset session_replication_role`);
  await app.deps.database.em.execute(givenSince);
  const rows = await readRows(app.databaseUrl);

  await using old = await createEmptyDatabase();
  await migrate(
    old.url,
    baseline.map(({ name }) => name),
  );
  await fillAs(old, asOfBaseline(rows));
  await old.query(`set session_replication_role = replica; ${takenOut}`);
  const newer = migrations.slice(baseline.length).map(({ name }) => name);
  expect(await migrate(old.url)).toEqual(newer);

  expect(withoutVersions(await readRows(old.url))).toEqual(withoutVersions(rows));
  const keys = [
    await app.seed.key({ scopes: scopeNames }),
    await app.seed.key({ siteId: example, scopes: scopeNames }),
  ];
  const made = (await readRows(app.databaseUrl)).api_keys ?? [];
  await old.query(`truncate api_keys; ${insertInto('api_keys', await columnsOf(old, 'api_keys'), made)}`);
  await using before = await startServerProcess(app.databaseUrl, withoutLimits);
  await using after = await startServerProcess(old.url, withoutLimits);
  const request = async (baseUrl: string, key: string) => {
    const call = createCaller(baseUrl);
    const reads = keyEndpoints.filter(({ method }) => method === 'GET');
    return Promise.all(
      reads.map(async ({ title, path }) => {
        const { status, body, headers } = await call('GET', path, { key });
        return [title, status, body, headers.get('etag')];
      }),
    );
  };
  for (const key of keys) {
    const answers = await request(after.baseUrl, key);
    expect(answers).toEqual(await request(before.baseUrl, key));
    expect(answers.filter(([, status]) => status === 200).length).toBeGreaterThan(15);
  }
});

/** Omits the versions of collections. A migration that writes records increases them, so that caches are dropped. */
const withoutVersions = ({ collection_changes, ...others }: Awaited<ReturnType<typeof readRows>>) => ({
  ...others,
  collection_changes: Rows.parse(collection_changes)
    .map(({ version: _, ...change }) => JSON.stringify(change))
    .toSorted(),
});

/** Returns the rows in the tables of the baseline, in which each person owned one site. */
function asOfBaseline(rows: Awaited<ReturnType<typeof readRows>>): Record<string, unknown[]> {
  const { people, site_people } = PeopleRows.parse(rows);
  const byId = new Map(people.map((person) => [person.id, person]));
  return {
    ...rows,
    owners: site_people.map(({ site_id, person_id }) => ({ ...byId.get(person_id), site_id })),
  };
}

const Rows = z.array(z.record(z.string(), z.unknown()));
const PeopleRows = z.object({ people: Rows, site_people: Rows });

type Old = Awaited<ReturnType<typeof createEmptyDatabase>>;

/** Inserts rows into the tables of an older database. */
async function fillAs(old: Old, rows: Record<string, unknown[]>): Promise<void> {
  const days = new Set((rows.page_views ?? []).map((row) => String(Reflect.get(Object(row), 'day'))));
  for (const day of days)
    await old.query(`
      create table page_views_${day.replaceAll('-', '_')} partition of page_views
        for values from ('${day}') to (date '${day}' + 1)`);
  for (const table of Object.keys(await readRows(old.url)))
    await old.query(insertInto(table, await columnsOf(old, table), rows[table] ?? []));
}

/** SQL for a row of a nonexistent site, for a table that no call has filled. */
async function anyRow({ deps }: Pick<TestApp, 'deps'>, table: string): Promise<string> {
  const columns = await deps.database.em.execute<{ name: string; type: string }[]>(`
    select column_name as name, data_type as type from information_schema.columns
    where table_schema = 'public' and table_name = '${table}' and is_generated = 'NEVER'`);
  const row = Object.fromEntries(columns.map(({ name, type }) => [name, anyValues[type] ?? 'some']));
  return insertInto(
    table,
    Object.keys(row).map((name) => `"${name}"`),
    [row],
  );
}

const anyValues: Readonly<Record<string, unknown>> = {
  date: '2026-01-01',
  'timestamp with time zone': '2026-01-01T00:00:00Z',
  boolean: false,
  integer: 1,
  bigint: 1,
  smallint: 1,
  jsonb: {},
  ARRAY: [],
  bytea: '\\x01',
};

/** Returns the stored columns of a table, without generated ones. */
async function columnsOf(old: Old, table: string): Promise<string[]> {
  const columns = await old.query(`
    select quote_ident(column_name) as name from information_schema.columns
    where table_schema = 'public' and table_name = '${table}' and is_generated = 'NEVER'`);
  return columns.map((column) => String(Reflect.get(Object(column), 'name')));
}

/** SQL that inserts rows without triggers, whose effects are already in the data. */
const insertInto = (table: string, columns: readonly string[], rows: readonly unknown[]) => `
  set session_replication_role = replica;
  insert into ${table} (${columns.join(', ')}) overriding system value
    select ${columns.join(', ')} from jsonb_populate_recordset(null::${table}, '${JSON.stringify(rows).replaceAll("'", "''")}')`;
