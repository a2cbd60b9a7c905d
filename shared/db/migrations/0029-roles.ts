import { Migration } from '@mikro-orm/migrations';

/** Authors of records and files, for roles that may write only their own; and invitations to a site. */
export class Roles extends Migration {
  override up() {
    for (const table of made) this.addSql(`alter table ${table} add column created_by text`);
    this.addSql(invitations);
  }
}

const made = [
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
  'media',
];

const invitations = `
create table invitations (
  site_id text not null,
  id text not null,
  email text not null,
  role text not null,
  token_hash text,
  is_used boolean not null,
  expires_at timestamptz(3) not null,
  created timestamptz(3) not null,
  primary key (site_id, id),
  constraint invitations_email_key unique (site_id, email),
  constraint invitations_token_hash_key unique (token_hash)
);
create index invitations_expires_idx on invitations (expires_at);
`;
