import { Migration } from '@mikro-orm/migrations';

/** Publication of lessons, progress and certificates of learners, and protected media files. */
export class Learning extends Migration {
  override up() {
    for (const statement of [lessons, enrollments, progress, purge, media]) this.addSql(statement);
  }
}

/* Defaults stay: servers of the previous version insert rows without these columns. */
const lessons = `
alter table courses add column lessons_published boolean not null default false;
alter table lessons add column is_preview boolean not null default false`;

const enrollments = `
alter table enrollments
  add column source text not null default 'owner',
  add column ended_at timestamptz(3),
  add column certificate_id text,
  add column certificate_name text,
  add column certificate_title text;
create index enrollments_learner_idx on enrollments (site_id, buyer_email);
create unique index enrollments_certificate_key on enrollments (site_id, certificate_id) where certificate_id is not null`;

const progress = `
create table lesson_progress (
  site_id text not null,
  enrollment_id text not null,
  lesson_id text not null,
  done_at timestamptz(3) not null,
  primary key (site_id, enrollment_id, lesson_id)
);
create index lesson_progress_lesson_idx on lesson_progress (site_id, lesson_id)`;

/*
 * Deletes the progress of purged lessons. A statement that restores a lesson deletes it from the trash too; the function runs at the
 * end of that statement, when the lesson exists again.
 */
const purge = `
create function purge_lesson_progress() returns trigger language plpgsql as $$
begin
  delete from lesson_progress p
  using (select distinct site_id, id from old_rows where collection = 'lessons') gone
  where p.site_id = gone.site_id and p.lesson_id = gone.id
    and not exists (select from lessons l where l.site_id = gone.site_id and l.id = gone.id)
    and not exists (select from trash t where t.site_id = gone.site_id and t.collection = 'lessons' and t.id = gone.id)
    and not exists (select from trash_parts t where t.site_id = gone.site_id and t.collection = 'lessons' and t.id = gone.id);
  return null;
end $$;
create trigger trash_purged_progress after delete on trash
  referencing old table as old_rows for each statement execute function purge_lesson_progress();
create trigger trash_parts_purged_progress after delete on trash_parts
  referencing old table as old_rows for each statement execute function purge_lesson_progress()`;

const media = 'alter table media add column protected boolean not null default false';
