import { Migration } from '@mikro-orm/migrations';

/** Maximum number of modules and lessons of a course, for every kind of write. */
export class CourseParts extends Migration {
  override up() {
    this.addSql(boundCourse);
    for (const [table, parent] of [
      ['modules', 'course_id'],
      ['lessons', 'module_id'],
    ])
      this.addSql(`
create trigger ${table}_bound_new after insert on ${table}
  for each row execute function bound_course();
create trigger ${table}_bound_moved after update of ${parent} on ${table}
  for each row when (old.${parent} is distinct from new.${parent}) execute function bound_course();`);
  }
}

// The advisory lock makes a concurrent insert into the same course wait, so that it counts the rows of the first.
const boundCourse = `
create function bound_course() returns trigger language plpgsql as $$
declare
  most constant integer := 1000;
  of_course text;
  parts integer;
begin
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
