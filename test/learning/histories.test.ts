import { expect, test, vi } from 'vitest';
import { bodyOf, startLearningSite } from '../support/learning-site.ts';
import { createRandom, newSeed } from '../support/random.ts';
import { refusal } from '../support/rpc.ts';

const long = process.env.FAULTS === 'long';
const steps = long ? 10_000 : 120;

if (long) vi.setConfig({ testTimeout: 3_600_000 });

interface Lesson {
  id: string;
  title: string;
  module: string;
  order: number;
  created: number;
  isPreview: boolean;
  /** Part of the trash: on its own, or with its module. */
  inTrash: '' | 'itself' | 'module' | 'purged';
}

interface Module {
  id: string;
  order: number;
  created: number;
  inTrash: boolean;
}

interface Learner {
  done: Set<string>;
  isEnrolled: boolean;
  completedAt: Date | null;
}

test('random edits of the owner and steps of learners lose no progress, undo no completion and show no locked lesson', async () => {
  const seed = Number(process.env.SEED ?? newSeed());
  const random = createRandom(seed);
  const site = await startLearningSite();
  await using app = site.app;
  const { studio } = site;
  const course = await site.createCourse({ modules: [] });
  const people = await Promise.all([0, 1, 2].map((at) => site.signUp(`learner${at}@example.com`)));
  const learners: Learner[] = people.map(() => ({ done: new Set(), isEnrolled: false, completedAt: null }));
  const modules: Module[] = [];
  const lessons: Lesson[] = [];
  let isOrdered = true;
  let created = 0;

  const pick = <T>(items: readonly T[]): T | undefined => items[Math.floor(random() * items.length)];
  const byPosition = (a: Module | Lesson, b: Module | Lesson) => a.order - b.order || a.created - b.created;
  const standing = () => modules.filter(({ inTrash }) => !inTrash).toSorted(byPosition);
  const lessonsIn = ({ id }: Module) =>
    lessons.filter(({ module, inTrash }) => module === id && inTrash === '').toSorted(byPosition);
  const current = () => standing().flatMap(lessonsIn);
  const next = () => {
    app.clock.advance({ seconds: 1 });
    created += 1;
    return created;
  };
  const isLocked = (lesson: Lesson, { done }: Learner) => {
    const first = current().find(({ id }) => !done.has(id));
    return isOrdered && !lesson.isPreview && !done.has(lesson.id) && first?.id !== lesson.id;
  };

  const edits: Record<string, () => Promise<unknown>> = {
    async addModule() {
      const order = Math.floor(random() * 5);
      const { id } = await studio.modules.create.mutate({
        course_id: course.id,
        title: 'Module',
        sort_order: order,
      });
      modules.push({ id, order, created: next(), inTrash: false });
    },
    async addLesson() {
      const module = pick(standing());
      if (!module) return;
      const [title, order, isPreview] = [`L${created}`, Math.floor(random() * 5), random() < 0.2];
      const { id } = await site.addLesson(module.id, `${isPreview ? '*' : ''}${title}`, order);
      lessons.push({ ...{ id, title, order, isPreview }, module: module.id, created: next(), inTrash: '' });
    },
    async trashLesson() {
      const lesson = pick(current());
      if (!lesson) return;
      await studio.lessons.delete.mutate({ id: lesson.id });
      lesson.inTrash = 'itself';
    },
    async restoreLesson() {
      const ids = standing().map(({ id }) => id);
      const lesson = pick(
        lessons.filter(({ inTrash, module }) => inTrash === 'itself' && ids.includes(module)),
      );
      if (!lesson) return;
      await studio.trash.restore.mutate({ collection: 'lessons', id: lesson.id });
      lesson.inTrash = '';
    },
    async purgeLesson() {
      const lesson = pick(lessons.filter(({ inTrash }) => inTrash === 'itself'));
      if (!lesson || random() < 0.5) return;
      await studio.trash.purge.mutate({ collection: 'lessons', id: lesson.id });
      lesson.inTrash = 'purged';
      for (const { done } of learners) done.delete(lesson.id);
    },
    async trashModule() {
      const module = pick(standing());
      if (!module || random() < 0.5) return;
      for (const lesson of lessonsIn(module)) lesson.inTrash = 'module';
      await studio.modules.delete.mutate({ id: module.id });
      module.inTrash = true;
    },
    async restoreModule() {
      const module = pick(modules.filter(({ inTrash }) => inTrash));
      if (!module) return;
      await studio.trash.restore.mutate({ collection: 'modules', id: module.id });
      module.inTrash = false;
      for (const lesson of lessons)
        if (lesson.module === module.id && lesson.inTrash === 'module') lesson.inTrash = '';
    },
    async reorder() {
      const module = pick(standing());
      const shown = module ? lessonsIn(module) : [];
      if (shown.length < 2) return;
      const shuffled = shown.toSorted(() => random() - 0.5);
      await studio.lessons.reorder.mutate({ ids: shuffled.map(({ id }) => id) });
      for (const [order, lesson] of shuffled.entries()) lesson.order = order;
    },
    async moveLesson() {
      const [lesson, module] = [pick(current()), pick(standing())];
      if (!lesson || !module) return;
      await studio.lessons.update.mutate({ id: lesson.id, module_id: module.id });
      lesson.module = module.id;
    },
    async togglePreview() {
      const lesson = pick(current());
      if (!lesson) return;
      lesson.isPreview = !lesson.isPreview;
      await studio.lessons.update.mutate({ id: lesson.id, is_preview: lesson.isPreview });
    },
    async toggleOrder() {
      isOrdered = !isOrdered;
      await studio.courses.update.mutate({ id: course.id, sequential_access: isOrdered });
    },
    async moveCourse() {
      if (random() < 0.7) return;
      await studio.courses.delete.mutate({ id: course.id });
      const call = people[0]?.learning.begin.mutate({ course_id: course.id });
      expect((await refusal(call ?? Promise.reject())).code).toBe('not_found');
      await studio.trash.restore.mutate({ collection: 'courses', id: course.id });
      await studio.courses.update.mutate({ id: course.id, is_draft: false });
    },
  };

  /** Lets a learner open a lesson, mark it as done, or undo it. */
  async function learn(step: number) {
    const at = Math.floor(random() * 3);
    const [person, learner, lesson] = [people[at], learners[at], pick(lessons)];
    if (!person || !learner || !lesson) return;
    const about = `step ${step} of seed ${seed}`;
    const shown = current();
    const isThere = shown.includes(lesson);
    const path = `${course.path}/lessons/${lesson.id}`;
    const kind = random();
    if (kind < 0.35) {
      const page = await person.visit(path);
      const isShown = isThere && !isLocked(lesson, learner);
      expect([about, page.status]).toEqual([about, isShown ? 200 : isThere ? 303 : 404]);
      expect([about, page.text.includes(bodyOf(lesson.title))]).toEqual([about, isShown]);
      return;
    }
    const action = kind < 0.85 ? ('done' as const) : ('undo' as const);
    const call = person.learning[action].mutate({ lesson_id: lesson.id });
    const error = isThere
      ? action === 'done' && isLocked(lesson, learner)
        ? 'lesson_locked'
        : null
      : 'not_found';
    if (error) {
      expect([about, (await refusal(call)).code]).toEqual([about, error]);
      return;
    }
    if (action === 'undo') learner.done.delete(lesson.id);
    else {
      learner.done.add(lesson.id);
      learner.isEnrolled = true;
    }
    const done = shown.filter(({ id }) => learner.done.has(id)).length;
    if (action === 'done' && done === shown.length) learner.completedAt ??= app.clock.now();
    expect([about, await call]).toEqual([
      about,
      { done, of: shown.length, completed_at: learner.completedAt },
    ]);
  }

  await edits.addModule?.();
  for (let lesson = 0; lesson < 5; lesson += 1) await edits.addLesson?.();
  for (let step = 0; step < steps; step += 1) {
    if (random() < 0.35) await pick(Object.values(edits))?.();
    else await learn(step);
    if (step % 7 === 0) app.clock.advance({ seconds: 1 });
  }
  const rows = await site.run<{ email: string; lesson: string }>(
    'select e.buyer_email as email, p.lesson_id as lesson from enrollments e join lesson_progress p on p.enrollment_id = e.id',
  );
  for (const [at, { done, isEnrolled, completedAt }] of learners.entries()) {
    const email = `learner${at}@example.com`;
    const stored = rows.flatMap((row) => (row.email === email ? [row.lesson] : []));
    expect([seed, stored.toSorted()]).toEqual([seed, [...done].toSorted()]);
    const own = async (name: string) =>
      (await site.eventsOf(name)).filter((data) => data.buyer_email === email);
    expect([seed, (await own('course.enrolled')).length]).toEqual([seed, isEnrolled ? 1 : 0]);
    expect([seed, (await own('course.completed')).map((data) => data.completed_at)]).toEqual([
      seed,
      completedAt ? [completedAt.toISOString()] : [],
    ]);
  }
});
