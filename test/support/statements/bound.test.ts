import { expect, test } from 'vitest';
import { unboundTables } from './bound.ts';

const names = {
  siteColumns: new Map([
    ['posts', 'site_id'],
    ['trash', 'site_id'],
    ['api_keys', 'site_id'],
    ['sites', 'id'],
  ]),
  lookups: new Set(['api_keys.key_hash']),
};

test.for([
  'select 1',
  'select * from posts where site_id = $1',
  "select * from posts p where title = $2 and (p.site_id, id) = ('a', $1)",
  'select * from posts where site_id in ($1, $2) or (site_id = $3 and featured)',
  'select * from posts where (site_id, id) in (($1, $2), ($3, $4))',
  'select * from posts where site_id = any($1)',
  `select * from posts where site_id collate "C" = $1`,
  'select * from posts where (case when is_public then site_id end) = $1',
  "select * from posts where site_id || '' = any($1)",
  'delete from posts where ctid in (select ctid from posts where site_id = $1)',
  'select * from posts p join trash t on t.site_id = p.site_id and t.id = p.id where p.site_id = $1',
  'select * from posts p left join trash t using (site_id, id) where p.site_id = $1',
  'select * from api_keys k join sites s on s.id = k.site_id where k.key_hash = $1',
  'select * from unnest($1::text[]) as u (site) join posts p on p.site_id = u.site',
  'select * from sites s where s.id = $1 and exists (select from posts p where p.site_id = s.id)',
  'with p as (select * from posts where site_id = $1) select * from p, trash t where t.site_id = p.site_id',
  'select * from trash where (site_id, id) in (select site_id, id from posts where site_id = $1)',
  'insert into posts (site_id, id) values ($1, $2)',
  'insert into posts (id, site_id) select id, site_id from trash where site_id = $1',
  'update posts set title = $1 where site_id = $2 returning id',
  'update posts p set title = t.title from trash t where p.site_id = t.site_id and t.site_id = $1',
  'delete from posts where site_id = $1',
  'select * from other.posts',
  'begin',
])('the statement is bound to a site: %s', (statement) => {
  expect(unboundTables(statement, names)).toEqual([]);
});

test.for([
  ['select * from posts', 'posts'],
  ['select * from posts where id = $1', 'posts'],
  ['select * from posts where site_id <> $1', 'posts'],
  ['select * from posts where not (site_id = $1)', 'posts'],
  ['select * from posts where site_id not in ($1)', 'posts'],
  ['select * from posts where site_id = site_id', 'posts'],
  ['select * from posts where site_id = $1 or featured', 'posts'],
  ['select * from posts where (case when is_public then site_id else id end) = $1', 'posts'],
  ['delete from posts where ctid in (select ctid from posts where id = $1)', 'posts'],
  ['select site_id = $1 from posts', 'posts'],
  ['select * from sites where name = $1', 'sites'],
  ['select * from api_keys where name = $1', 'api_keys'],
  ['select * from posts where site_id = $1 union all select * from posts', 'posts'],
  ['select * from posts p join trash t on t.id = p.id where p.site_id = $1', 'trash'],
  ['select * from posts p join trash t on t.id = p.id where t.site_id = $1', 'posts'],
  ['select * from posts p, trash t where p.site_id = t.site_id', 'posts trash'],
  ['select * from (select * from posts) p where p.site_id = $1', 'posts'],
  ['with p as (select * from posts) select * from p where site_id = $1', 'posts'],
  ['select * from posts where site_id = $1 and exists (select from trash where id = posts.id)', 'trash'],
  ['select (select count(*) from trash) from posts where site_id = $1', 'trash'],
  ['select * from trash where id in (select id from posts where site_id = $1)', 'trash'],
  ['insert into posts (id) values ($1)', 'posts'],
  ['insert into posts (site_id) select site_id from trash', 'trash'],
  ['update posts set site_id = $1 where id = $2', 'posts'],
  ['with gone as (delete from posts where id = $1 returning id) select * from gone', 'posts'],
  ['delete from posts p using trash t where t.site_id = $1 and t.id = p.id', 'posts'],
  ['truncate posts', 'posts'],
  ['copy posts to stdout', 'posts'],
  ['lock table posts', 'posts'],
] as const)('the statement is not bound to a site: %s (tables: %s)', ([statement, tables]) => {
  expect(unboundTables(statement, names).join(' ')).toBe(tables);
});
