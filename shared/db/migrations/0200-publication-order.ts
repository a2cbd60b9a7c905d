import { Migration } from '@mikro-orm/migrations';

/**
 * Lists of posts in the order of their publication, from an index as every other order has one (0060); and what is pinned
 * to the top of a site, which is little among many posts.
 */
export class PublicationOrder0200 extends Migration {
  override name = '0200-publication-order';

  override up() {
    this.addSql(`
create index posts_list_published_at_idx on posts
  (site_id collate "POSIX", is_public, coalesce(published_at, created) desc, id desc)
  include (created, updated, visibility, is_draft, published_at, featured, access_tier)`);
    this.addSql(`
create index posts_pinned_idx on posts (site_id collate "POSIX", coalesce(published_at, created) desc, id desc)
  where is_public and featured`);
  }
}
