import { Migration } from '@mikro-orm/migrations';

/** Content records count their writes, remember the latest of them, and go to the trash when they are deleted. */
export class History0050 extends Migration {
  override name = '0050-history';

  override up() {
    for (const collection of collections)
      this.addSql(`alter table ${collection} add column revision integer not null default 1`);
    this.addSql(revisions);
    this.addSql(trash);
    this.addSql('create index trash_deleted_idx on trash (site_id, deleted desc, id desc)');
  }
}

const collections = [
  'posts',
  'projects',
  'courses',
  'talks',
  'experience',
  'education',
  'skills',
  'certifications',
  'pages',
  'modules',
  'lessons',
];

const revisions = `
create table record_revisions (
  site_id text not null,
  collection text not null,
  record_id text not null,
  revision integer not null,
  created timestamptz(3) not null,
  actor jsonb not null,
  changed text[] not null,
  previous jsonb not null,
  primary key (site_id, collection, record_id, revision)
)`;

const trash = `
create table trash (
  site_id text not null,
  collection text not null,
  id text not null,
  title text not null,
  deleted timestamptz(3) not null,
  actor jsonb not null,
  record jsonb not null,
  parts jsonb not null,
  primary key (site_id, collection, id)
)`;
