import { type RawBuilder, sql } from 'kysely';
import { gate } from '../../shared/content/gate.ts';
import type { GateReason } from '../../shared/contract/resources/access-tier.ts';
import { protectedFilesIn, signedFiles } from '../../shared/media/protected-files.ts';
import { hasBought } from '../../shared/selling/entitlements.ts';
import { found } from '../api/api-error.ts';
import type { Context } from '../api/context.ts';
import { isMemberToken, noteVisit, selectMember } from '../audience/members/member-session.ts';

export interface Lesson {
  id: string;
  title: string;
  /** Title of the module that contains the lesson. */
  module: string;
  is_preview: boolean;
  is_done: boolean;
  /** True if the lesson was created after the learner completed the course. */
  is_new: boolean;
}

interface Row {
  id: string;
  slug: string;
  title: string;
  access_tier: string;
  sequential_access: boolean;
  member_id: string | null;
  email: string | null;
  last_seen_at: Date | null;
  tiers: string[] | null;
  bought: boolean;
  enrollment_id: string | null;
  source: string | null;
  ended_at: Date | null;
  completed_at: Date | null;
  certificate_id: string | null;
  lessons: Lesson[];
}

/** Visitor's view of a course whose lessons are published. */
export interface Learner extends Omit<Row, 'member_id' | 'last_seen_at' | 'tiers' | 'bought' | 'source'> {
  /**
   * Reason why the visitor has no access to the course; null if they have. Previews are open in any case. With access, later
   * lessons of a course in order can still be locked (`isWaiting`).
   */
  gate_reason: GateReason | null;
  is_enrolled: boolean;
}

type VisitorContext = Context & { siteId: string };

/** Course by its slug or ID, or by the ID of one of its lessons, whose course may be given by its slug too. */
export type CourseAddress =
  | { slug: string }
  | { course_id: string }
  | { lesson_id: string; slug?: string | undefined };

const conditionOf = (siteId: string, by: CourseAddress): RawBuilder<unknown> => {
  if ('course_id' in by) return sql`c.id = ${by.course_id}`;
  if (!('lesson_id' in by)) return sql`c.slug = ${by.slug}`;
  const { lesson_id, slug } = by;
  return sql`c.id = (select m.course_id from lessons l join modules m on m.site_id = l.site_id and m.id = l.module_id
    where l.site_id = ${siteId} and l.id = ${lesson_id})${slug === undefined ? sql`` : sql` and c.slug = ${slug}`}`;
};

/** SQL: no member, for a request without a session. */
const nobody = sql`select null::text as id, null::text as email, null::timestamptz as last_seen_at, null::text[] as tiers where false`;

/**
 * Reads a public course whose lessons are published, its lessons in order without their bodies, and the visitor's access and progress,
 * in one statement. Returns null if there is no such course.
 */
export async function findLearner(ctx: VisitorContext, by: CourseAddress): Promise<Learner | null> {
  const { deps, siteId, memberToken } = ctx;
  const own = { siteId, email: sql`v.email`, countsTest: deps.config.countsTest };
  const { rows } = await sql<Row>`
    with visitor as (${isMemberToken(memberToken) ? selectMember(ctx) : nobody})
    select c.id, c.slug, c.title, c.access_tier, c.sequential_access,
      v.id as member_id, v.email, v.last_seen_at, v.tiers,
      v.email is not null and ${hasBought(own, { collection: 'courses', id: sql`c.id` })} as bought,
      e.id as enrollment_id, e.source, e.ended_at, e.completed_at, e.certificate_id,
      (
        select coalesce(json_agg(json_build_object('id', l.id, 'title', l.title, 'module', m.title, 'is_preview', l.is_preview,
          'is_done', p.lesson_id is not null, 'is_new', coalesce(p.lesson_id is null and l.created > e.completed_at, false))
          order by m.sort_order, m.created, m.id, l.sort_order, l.created, l.id), '[]')
        from modules m join lessons l on l.site_id = m.site_id and l.module_id = m.id
        left join lesson_progress p on p.site_id = e.site_id and p.enrollment_id = e.id and p.lesson_id = l.id
        where m.site_id = c.site_id and m.course_id = c.id
      ) as lessons
    from courses c left join visitor v on true
    left join enrollments e on e.site_id = c.site_id and e.course_id = c.id and e.buyer_email = v.email
    where c.site_id = ${siteId} and c.is_public and c.lessons_published and ${conditionOf(siteId, by)}`.execute(
    deps.database.em.getKysely(),
  );
  if (!rows[0]) return null;
  const { member_id, last_seen_at, tiers, bought, source, ...row } = rows[0];
  if (member_id !== null) await noteVisit(ctx, { id: member_id, last_seen_at });
  const is_enrolled = row.enrollment_id !== null && row.ended_at === null;
  const reader = {
    signedIn: row.email !== null,
    tiers: tiers ?? [],
    purchases: bought ? [`courses/${row.id}`] : [],
  };
  const gate_reason = is_enrolled && source === 'owner' ? null : gate('courses', row, reader);
  return { ...row, is_enrolled, gate_reason };
}

/** Reads a course as `findLearner` does. Throws `not_found`. */
export const getLearner = async (ctx: VisitorContext, by: CourseAddress): Promise<Learner> =>
  found(await findLearner(ctx, by));

/** Returns the number of done and of all lessons, and the time of completion. */
export const progressOf = ({ lessons, completed_at }: Pick<Learner, 'lessons' | 'completed_at'>) => ({
  done: lessons.filter(({ is_done }) => is_done).length,
  of: lessons.length,
  completed_at,
});

/**
 * Returns the ID of the lesson at which a learner continues: the first that is not done. This lesson is open, because
 * all lessons before it are done. Null if all are done.
 */
export const continuesAt = ({ lessons }: Pick<Learner, 'lessons'>): string | null =>
  lessons.find(({ is_done }) => !is_done)?.id ?? null;

/**
 * Returns true if a lesson has to wait for earlier ones, in a course whose lessons are taken in order. Done lessons and previews never
 * wait.
 */
export const isWaiting = (learner: Learner, { id, is_done, is_preview }: Lesson): boolean =>
  learner.sequential_access && !is_done && !is_preview && continuesAt(learner) !== id;

/** Lesson of a course by its ID, with its position from 0. Throws `not_found`. */
export function lessonOf({ lessons }: Pick<Learner, 'lessons'>, id: string) {
  const position = lessons.findIndex((lesson) => lesson.id === id);
  return { position, lesson: found(lessons[position]) };
}

/**
 * Body and video of a lesson, with the queries that open their protected files. Only `visitors.lesson` reads them, for visitors who
 * may. Throws `not_found`.
 */
export async function readBody({ deps, siteId }: Pick<VisitorContext, 'deps' | 'siteId'>, id: string) {
  const { database, secrets, clock } = deps;
  const lesson = database.em
    .getKysely()
    .selectFrom('lessons')
    .select(['content', 'video_url'])
    .select(protectedFilesIn(siteId, sql`content || ' ' || video_url`).as('protected'));
  const row = await lesson.where('site_id', '=', siteId).where('id', '=', id).executeTakeFirst();
  const { protected: ids, ...body } = found(row);
  return { ...body, files: signedFiles(secrets, siteId, ids, clock.now()) };
}
