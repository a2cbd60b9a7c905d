import { sql } from 'kysely';
import type { Resource } from '../../../shared/contract/resource.ts';
import { curriculumResources, resources } from '../../../shared/contract/resources/index.ts';
import { hashSecret } from '../../../shared/runtime/secret-box.ts';
import { addRecords, type Offender, type RecordValues, repeatText } from './attacker.ts';

const idOf = (n: number) => String(n).padStart(15, '0');

export const courseId = idOf(1);

/** Text of nearly the maximum size that is quick to store: one word that is too long for the search index. */
const longBody = `Long text ${repeatText('a', 490_000)}`;

const longDescription = `A talk about *this*, and then about that. ${repeatText('b', 49_000)}`;

const isPublic = { is_draft: false };

/** Fills a site with the maximum amount of everything. */
export async function fillSite(site: Offender): Promise<void> {
  const { em } = site.deps.database;
  const [usual] = await em.execute<{ text: string }[]>(
    "select pg_get_functiondef('search_vector'::regproc) as text",
  );
  if (!usual) throw new Error('the function search_vector does not exist');
  // Each of ten thousand descriptions ends with a word too long for the index. Finding its end would be most of the
  // work.
  await em.execute(`
    create or replace function search_vector(texts text[]) returns tsvector language sql immutable parallel safe
    return to_tsvector('simple'::regconfig, without_accents(array_to_string(array(select split_part(text, 'bbb', 1) from unnest(texts) text), ' ')))`);
  await addAll(site).finally(() => em.execute(usual.text));
}

async function addAll(site: Offender): Promise<void> {
  const { posts, pages, talks, projects, courses, experience, education, skills } = resources;
  const add = (resource: Resource, values: RecordValues) => addRecords(site, resource, values);
  await add(posts, {
    ...{ count: 200, title: 'Long', content: longBody, excerpt: repeatText('What it is about. ', 1_000) },
    ...{ ...isPublic, tags: ['a', 'b'], published_at: '2025-01-01T00:00:00Z' },
  });
  const described = { ...isPublic, count: 400, description: longDescription };
  await add(pages, { ...isPublic, count: 100, title: 'A page', content: longDescription });
  for (const resource of [projects, courses]) await add(resource, { ...described, title: 'Something' });
  // The number of these records is unlimited, and so are their pages and lists.
  await add(talks, { ...described, count: 5_000, title: 'Something' });
  await add(experience, {
    ...described,
    count: 5_000,
    company: 'A company',
    title: 'A role',
    bullets: Array(50).fill('What was done'),
  });
  await add(education, { ...described, institution: 'A school' });
  await add(skills, { count: 5_000, name: 'A skill', category: 'Some' });
  await add(curriculumResources.modules, { count: 20, title: 'A module', course_id: courseId });
  await add(curriculumResources.lessons, {
    ...{ count: 200, title: 'A lesson', content: longBody, module_id: courseId },
  });
}

/** Session token of a member who bought every post. */
export const buyerToken = `svc_member_${'b'.repeat(43)}`;

/** Adds a member of the site with this number of purchases. */
export async function addBuyer(
  { deps, siteId }: Pick<Offender, 'deps' | 'siteId'>,
  count: number,
): Promise<void> {
  const db = deps.database.em.getKysely();
  const email = 'buyer@example.com';
  await sql`
    insert into members (site_id, id, email, name, status, access_tiers, created, updated)
    values (${siteId}, 'buyer', ${email}, 'A buyer', 'active', '{}', now(), now())`.execute(db);
  await sql`
    insert into member_sessions (site_id, id, member_id, token_hash, expires_at, created)
    values (${siteId}, 'session', 'buyer', ${hashSecret(buyerToken)}, now() + interval '1 day', now())`.execute(
    db,
  );
  for (let first = 1; first <= count; first += 50_000)
    await sql`
      insert into purchases (site_id, id, buyer_email, content_type, content_id, amount, currency, created)
      select ${siteId}, lpad(n::text, 15, '0'), ${email}, 'posts', lpad(n::text, 15, '0'), 1, 'EUR', now()
      from generate_series(${first}::integer, ${Math.min(first + 49_999, count)}::integer) n`.execute(db);
}
