import { Migration } from '@mikro-orm/migrations';

/** Locks on media files whose addresses a record, profile or setting contains, until the write commits. */
export class NamedFiles extends Migration {
  override up() {
    this.addSql(holdFiles);
    for (const [table, columns] of Object.entries(texts)) this.addSql(trigger(table, columns));
  }
}

/** Columns that can contain the address of a file. Covers contain its ID, and `hold_cover` locks them. */
const texts = {
  posts: ['title', 'content', 'excerpt', 'access_tier', 'meta_title', 'meta_description'],
  projects: ['title', 'description', 'url', 'repo_url', 'status', 'meta_title', 'meta_description'],
  courses: [
    ...['title', 'description', 'instructor_name', 'instructor_bio', 'access_tier', 'difficulty'],
    ...['meta_title', 'meta_description'],
  ],
  talks: [
    ...['title', 'event', 'event_url', 'location', 'description', 'slides_url', 'video_url'],
    ...['meta_title', 'meta_description'],
  ],
  experience: ['company', 'title', 'location', 'description'],
  education: ['institution', 'degree', 'field', 'description'],
  skills: ['name', 'category', 'proficiency'],
  certifications: ['name', 'issuer', 'credential_id', 'credential_url'],
  pages: ['title', 'content', 'meta_title', 'meta_description'],
  modules: ['title'],
  lessons: ['title', 'content', 'video_url'],
  profiles: [
    ...['name', 'headline', 'summary', 'location', 'avatar_url', 'website', 'github', 'linkedin', 'twitter'],
    ...['cta_text', 'cta_url'],
  ],
  sites: ['theme', 'selling', 'newsletter'],
};

/*
 * A change of a file's protection locks the file and then searches for its uses. It waits for writes in progress, and later writes wait
 * for it.
 */
const holdFiles = `
create function hold_files() returns trigger language plpgsql as $$
declare
  written jsonb := to_jsonb(new);
begin
  perform from media
  where site_id = coalesce(written ->> 'site_id', written ->> 'id')
    and id = any (array(select (regexp_matches(written::text, '/media/([a-z0-9]{15})/', 'g'))[1]))
  for key share;
  return null;
end $$`;

/*
 * The triggers run after the write: with a trigger before an update, PostgreSQL computes all generated columns again, such as search
 * vectors. Others cannot see the write before the file is locked.
 */
const trigger = (table: string, columns: readonly string[]) => `
create trigger ${table}_files after insert or update of ${columns.join(', ')} on ${table}
for each row when (position('/media/' in concat(${columns.map((name) => `new.${name}`).join(', ')})) > 0) execute function hold_files()`;
