import { Migration } from '@mikro-orm/migrations';

/** Replaces owners of one site by people who can work on several. Passwords and sessions stay valid. */
export class People extends Migration {
  override up() {
    this.addSql(tables);
    this.addSql(ownersAsPeople);
    this.addSql(sessionsOfPeople);
    this.addSql(ownersAsBefore);
  }
}

const tables = `
create table people (
  id text not null,
  email text not null,
  name text not null,
  password_hash text not null,
  created timestamptz(3) not null,
  updated timestamptz(3) not null,
  primary key (id),
  constraint people_email_key unique (email)
);

create table site_people (
  site_id text not null,
  person_id text not null,
  role text not null,
  created timestamptz(3) not null,
  primary key (site_id, person_id)
);
create index site_people_person_idx on site_people (person_id);
`;

/* Owners whose addresses differ by case alone are one person, with name and password of the one who was signed in last. */
const ownersAsPeople = `
alter table owners add column person_id text;
update owners set person_id = same.person_id
from (
  select o.site_id, o.id, first_value(o.id) over (
    partition by lower(o.email) order by used.at desc nulls last, o.updated desc, o.id
  ) as person_id
  from owners o
  cross join lateral (
    select max(coalesce(s.last_used_at, s.created)) as at from owner_sessions s
    where s.site_id = o.site_id and s.owner_id = o.id
  ) used
) same
where same.site_id = owners.site_id and same.id = owners.id;

insert into people (id, email, name, password_hash, created, updated)
  select id, lower(email), name, password_hash, created, updated from owners where id = person_id;
insert into site_people (site_id, person_id, role, created)
  select site_id, person_id, 'owner', min(created) from owners group by site_id, person_id;
`;

/* Moves sessions to the merged person, and deletes password reset links of accounts that are now part of another one. */
const sessionsOfPeople = `
update owner_sessions s set owner_id = o.person_id from owners o
  where o.site_id = s.site_id and o.id = s.owner_id and o.person_id <> o.id;
create index owner_sessions_owner_idx on owner_sessions (owner_id);

delete from password_resets r where not exists (select from people where id = r.owner_id);
alter table password_resets drop constraint password_resets_pkey, drop column site_id;
alter table password_resets rename column owner_id to person_id;
alter table password_resets add primary key (person_id);
drop table owners;
`;

/* By which processes of the version before go on signing in who they know, until each of them is replaced. */
const ownersAsBefore = `
create view owners as
  select m.site_id, p.id, p.email, p.name, p.password_hash, p.created, p.updated
  from site_people m join people p on p.id = m.person_id where m.role = 'owner';
`;
