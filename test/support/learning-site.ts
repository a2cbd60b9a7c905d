import { startMemberSession } from '../../server/audience/members/member-session.ts';
import { newRecordId } from '../../shared/contract/record-id.ts';
import { MemberEntity } from '../../shared/db/entities/audience.ts';
import { startApp, type TestApp, type TestAppOptions } from './app.ts';
import { ownerClient, visitorClient } from './rpc.ts';
import { createVisitor } from './visitor.ts';

/** Body of a lesson, which only people who may read it receive. */
export const bodyOf = (title: string) => `Body of ${title}.`;

/** Course to create: its values, and the titles of the lessons of each module. A title that begins with `*` is a preview. */
interface Planned {
  values?: object;
  modules?: readonly (readonly string[])[];
}

/** Starts a site on which courses with published lessons can be created and taken. */
export async function startLearningSite(options: TestAppOptions = {}) {
  const app = await startApp(options);
  return withLearning(app, { siteId: await app.seed.ownSite(), token: await app.seed.ownerToken() });
}

/** Adds courses and learners to a running app. */
export function withLearning(app: TestApp, { siteId, token }: { siteId: string; token: string }) {
  const { studio } = ownerClient(app.baseUrl, token);
  const addLesson = (module_id: string, planned: string, sort_order: number) => {
    const title = planned.replace('*', '');
    return studio.lessons.create.mutate({
      ...{ module_id, title, sort_order, content: bodyOf(title), is_preview: planned.startsWith('*') },
      video_url: `https://video.example.com/${encodeURIComponent(title)}`,
    });
  };
  let courses = 0;
  return {
    ...{ app, studio, siteId, addLesson },
    run: <Row>(text: string, values: unknown[] = []) =>
      app.deps.database.em.fork().execute<Row[]>(text, values),
    /** Creates a course with its lessons, and returns their IDs in order. */
    async createCourse({ values = {}, modules = [['One', 'Two', 'Three']] }: Planned = {}) {
      courses += 1;
      const slug = `course-${courses}`;
      const { id } = await studio.courses.create.mutate({
        ...{ title: `Course ${courses}`, slug, lessons_published: true, sequential_access: true },
        ...values,
      });
      const lessons: string[] = [];
      const moduleIds: string[] = [];
      for (const [at, titles] of modules.entries()) {
        const title = `Module ${at + 1}`;
        const module = await studio.modules.create.mutate({ course_id: id, title, sort_order: at });
        moduleIds.push(module.id);
        for (const [position, planned] of titles.entries())
          lessons.push((await addLesson(module.id, planned, position)).id);
      }
      const path = `/courses/${slug}`;
      const lessonPath = (at: number) => `${path}/lessons/${lessons[at]}`;
      return { id, slug, path, lessons, modules: moduleIds, lessonPath };
    },
    /** Creates a member who is signed in. */
    async signUp(email: string, tiers: ('paid' | 'members')[] = []) {
      const { deps } = app;
      const now = deps.clock.now();
      const id = newRecordId(now, deps.randomBytes);
      const session = await deps.database.em.fork().transactional(async (em) => {
        await em.insert(MemberEntity, {
          ...{ site_id: siteId, id, email, name: '', status: 'active', access_tiers: tiers },
          ...{ last_seen_at: now, created: now, updated: now },
        });
        return startMemberSession(em, deps, siteId, id);
      });
      const visit = createVisitor(app.baseUrl);
      const cookie = `member=${session.token}`;
      return {
        email,
        token: session.token,
        learning: visitorClient(app.baseUrl, { 'x-member-token': session.token }).site.learning,
        visit: ((path, { headers, ...options } = {}) =>
          visit(path, { ...options, headers: { cookie, ...headers } })) as typeof visit,
      };
    },
    /** Returns the data of logged events with this name, oldest first. */
    eventsOf: async (name: string) =>
      (
        await app.deps.database.em
          .fork()
          .execute<{ body: string }[]>('select body from events where name = ? order by occurred_at, id', [
            name,
          ])
      ).map(({ body }) => (JSON.parse(body) as { data: Record<string, unknown> }).data),
  };
}
