import { Migration } from '@mikro-orm/migrations';

/** Drafts can have a moment at which they are published. */
export class Schedule0045 extends Migration {
  override name = '0045-schedule';

  override up() {
    for (const collection of collections) {
      this.addSql(`
alter table ${collection} add column publish_at timestamptz(3),
  add constraint ${collection}_publish_at_check check (publish_at is null or is_draft)`);
      // Not by site: the worker asks what is due of all sites at once.
      this.addSql(
        `create index ${collection}_publish_at_idx on ${collection} (publish_at) where publish_at is not null`,
      );
    }
  }
}

const collections = [
  'posts',
  'projects',
  'courses',
  'talks',
  'experience',
  'education',
  'certifications',
  'pages',
];
