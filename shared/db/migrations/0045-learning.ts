import { Migration } from '@mikro-orm/migrations';

/** Publication of lessons, progress and certificates of learners, and protected media files. */
export class Learning extends Migration {
  override up() {
    for (const statement of [lessons, enrollments, progress, learn, purge, media]) this.addSql(statement);
  }
}

/*
 * Defaults stay: servers of the previous version insert rows without these columns. Enrollments of buyers open nothing by themselves, so
 * that a refund closes the course.
 */
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
update enrollments e set source = 'purchase' where exists (
  select from purchases p where p.site_id = e.site_id and p.buyer_email = e.buyer_email and p.content_type = 'courses'
    and p.content_id = e.course_id);
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
 * Enrolls a learner unless they are enrolled, and marks a lesson as done if one is given. The enrollment is locked first, and each
 * statement of the function sees what was committed before it: of concurrent calls, exactly one adds the enrollment, and exactly one
 * completes the course.
 * An ended enrollment begins again only if the caller saw it ended (`restarts`), so that an end wins over a call in progress. It then
 * holds progress only: the owner's enrollment stays ended.
 */
const learn = `
create function learn(site text, course text, learner text, new_id text, lesson text, restarts boolean, at timestamptz)
returns table (enrollment text, is_new boolean, completes boolean, done integer, of integer, completed_at timestamptz)
language plpgsql as $$
#variable_conflict use_variable
begin
  insert into enrollments as e (site_id, id, course_id, buyer_email, source, created)
  values (site, new_id, course, learner, 'member', at)
  on conflict on constraint enrollments_once_key do update
  set ended_at = case when not restarts then e.ended_at end,
    source = case when restarts and e.ended_at is not null and e.source = 'owner' then 'member' else e.source end
  returning e.id, e.completed_at into enrollment, completed_at;
  is_new := enrollment = new_id;
  if lesson is not null then
    insert into lesson_progress (site_id, enrollment_id, lesson_id, done_at) values (site, enrollment, lesson, at)
    on conflict on constraint lesson_progress_pkey do nothing;
  end if;
  select count(p.lesson_id), count(*) into done, of
  from modules m join lessons l on l.site_id = m.site_id and l.module_id = m.id
  left join lesson_progress p on p.site_id = site and p.enrollment_id = enrollment and p.lesson_id = l.id
  where m.site_id = site and m.course_id = course;
  completes := lesson is not null and completed_at is null and of > 0 and done = of;
  if completes then
    completed_at := at;
    update enrollments e set completed_at = at where e.site_id = site and e.id = enrollment;
  end if;
  return next;
end $$`;

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
