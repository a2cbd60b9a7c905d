import { Migration } from '@mikro-orm/migrations';

/** Lets a restored course exceed the maximum of migration 0013, because some courses exceeded it before. */
export class WholeCourses extends Migration {
  override up() {
    this.addSql(boundCourse);
  }
}

// The advisory lock makes a concurrent insert into the same course wait, so that it counts the rows of the first.
const boundCourse = `
create or replace function bound_course() returns trigger language plpgsql as $$
declare
  most constant integer := 1000;
  of_course text;
  parts integer;
begin
  -- What comes back with its course is no more than it had.
  if current_setting('content.comes_back', true) = 'on' then
    return null;
  end if;
  if tg_table_name = 'modules' then
    of_course := new.course_id;
  else
    select course_id into of_course from modules where site_id = new.site_id and id = new.module_id;
  end if;
  perform pg_advisory_xact_lock(4210876, hashtext(new.site_id || ' ' || of_course));
  select count(*) into parts from (
    (select 1 from modules where site_id = new.site_id and course_id = of_course limit most + 1)
    union all
    (select 1 from modules m join lessons l on l.site_id = m.site_id and l.module_id = m.id
      where m.site_id = new.site_id and m.course_id = of_course limit most + 1)
  ) part;
  if parts > most then
    raise exception 'course % has more than % modules and lessons', of_course, most
      using errcode = 'check_violation', constraint = 'course_parts_check';
  end if;
  return null;
end $$;`;
