import { Migration } from '@mikro-orm/migrations';

/**
 * What `q` searches is kept with each post, and found by an index that begins with the site, as tags are. Any owner of a
 * database may install btree_gin, which puts plain columns into such an index and comes with PostgreSQL.
 */
export class Search0008 extends Migration {
  override name = '0008-search';

  override up() {
    this.addSql('create extension if not exists btree_gin');
    this.addSql('drop index posts_search_idx, posts_tags_idx');
    this.addSql(column);
    this.addSql(index);
  }
}

/*
 * Bodies behind a gate are not searched. The first 100,000 characters stay below the largest tsvector PostgreSQL takes.
 *
 * Bodies and search vectors are kept out of the rows proper, the vectors uncompressed: counting and ordering what was
 * found passes over ten times less, and checking a phrase need not decompress.
 */
const column = `
alter table posts set (toast_tuple_target = 512);
alter table posts
  add column search tsvector not null generated always as (
    to_tsvector('simple'::regconfig, title || ' ' || excerpt || ' ' || case when access_tier = 'free' then left(content, 100000) else '' end)
  ) stored,
  alter column search set storage external`;

/*
 * One index for whatever a list is narrowed by, and the site in collation "C": a query that compares it that way can be
 * answered by nothing else. The list of entries still to be sorted in is kept short, since it is searched one by one.
 */
const index = `
create index posts_narrowed_idx on posts using gin (site_id collate "C", tags, search) with (gin_pending_list_limit = 1024)`;
