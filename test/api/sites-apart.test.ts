import { expect, test } from 'vitest';
import { startApp } from '../support/app.ts';

// Checks that a site's rows can be replicated to another database without those of other sites. statements-by-site.test.ts
// proves that no statement reads rows of two sites.

/** Tables that belong to the installation instead of a site, with the reason. */
const ofTheInstallation = {
  factor_challenges: 'belong to people',
  factors: 'belong to people',
  mail_counts: 'the limits of the mail server hold over all sites',
  media_store: 'says which store is this database’s',
  migrations: 'says which tables this database has',
  page_view_rollups: 'says which days this database has summed up',
  page_view_salts: 'visitors are hashed with it for a day, and it is thrown away',
  password_resets: 'belong to people',
  people: 'may be of several sites',
  rate_limits: 'count addresses, whatever site they ask',
  recovery_codes: 'belong to people',
  sites: 'has a row a site, by its id',
};

const app = await startApp();
const run = <Row>(text: string) => app.deps.database.em.fork().execute<Row[]>(text);

const tables = await run<{ name: string; columns: string[]; key: string[] | null; identity: string }>(`
  select c.relname as name, c.relreplident as identity,
    array(select attname::text from pg_attribute
      where attrelid = c.oid and attnum > 0 and not attisdropped order by attnum) as columns,
    (select array(select attname::text from unnest(k.conkey) with ordinality n (attnum, place)
        join pg_attribute a on a.attrelid = c.oid and a.attnum = n.attnum order by place)
      from pg_constraint k where k.conrelid = c.oid and k.contype = 'p') as key
  from pg_class c where c.relnamespace = current_schema()::regnamespace
    and c.relkind in ('r', 'p') and not c.relispartition order by 1`);
const keys = await run<{ table: string; definition: string }>(`
  select conrelid::regclass::text as table, pg_get_constraintdef(oid) as definition
  from pg_constraint where contype = 'f' and connamespace = current_schema()::regnamespace`);
const sequences = await run<{ relname: string }>(`
  select relname from pg_class where relkind = 'S' and relnamespace = current_schema()::regnamespace`);
await app[Symbol.asyncDispose]();

const ofSites = tables.filter(({ name }) => !(name in ofTheInstallation));

test('columns and primary key of every table begin with the site of its rows, except in tables of the installation', () => {
  expect(
    ofSites.filter(({ columns, key }) => [columns, key ?? columns].some(([first]) => first !== 'site_id')),
  ).toEqual([]);
  const names = tables.map(({ name }) => name);
  expect(Object.keys(ofTheInstallation).filter((name) => !names.includes(name))).toEqual([]);
});

test('every table whose rows can change has a replica identity', () => {
  // Rows of page_views are only inserted, and deleted as whole partitions, so replication never has to find one.
  const rest = ofSites.filter(({ name, key, identity }) => !key && identity !== 'f' && name !== 'page_views');
  expect(rest.map(({ name }) => name)).toEqual([]);
});

test('no foreign key crosses sites, and no sequence is shared by sites', () => {
  const across = keys.filter(({ definition }) => definition.match(/\(site_id, /g)?.length !== 2);
  expect([across, sequences]).toEqual([[], [{ relname: 'migrations_id_seq' }]]);
});
