import { afterAll, expect, test } from 'vitest';
import { startBrowser } from '../support/browser.ts';
import { startLearningSite } from '../support/learning-site.ts';
import { createVisitor } from '../support/visitor.ts';

// Links and forms of courses for visitors whose page is outdated, or who have to do something first.

const site = await startLearningSite();
const { app, studio } = site;
const browser = await startBrowser();
afterAll(async () => {
  await browser[Symbol.asyncDispose]();
  await app[Symbol.asyncDispose]();
});

const nobody = createVisitor(app.baseUrl);
const languages = ['de', 'en', 'es', 'fr', 'it', 'ja', 'nl', 'pt'];

test('a former address of a lesson redirects to the current one, however often the course was renamed', async () => {
  const course = await site.createCourse();
  const { visit, learning } = await site.signUp('renamed@example.com');
  const lesson = course.lessonPath(0);
  await studio.courses.update.mutate({ id: course.id, slug: 'renamed' });
  await studio.courses.update.mutate({ id: course.id, slug: 'renamed-again' });
  const now = lesson.replace(course.slug, 'renamed-again');
  for (const [former, to] of [
    [lesson, now],
    [lesson.replace(course.slug, 'renamed'), now],
    [`${lesson}?play=1`, `${now}?play=1`],
    [course.lessonPath(1), course.lessonPath(1).replace(course.slug, 'renamed-again')],
  ] as const)
    for (const method of ['GET', 'HEAD'] as const) {
      const { status, headers, text } = await nobody(former, { method });
      expect([former, status, headers.location, text]).toEqual([former, 301, to, '']);
    }
  expect((await nobody(now)).status).toBe(200);
  // A form of a page that was opened before is sent again to the current address.
  for (const action of ['done', 'undo']) {
    const { status, headers } = await visit(lesson, { form: { action } });
    expect([action, status, headers.location]).toEqual([action, 308, now]);
  }
  const foreign = { form: { action: 'done' }, headers: { origin: 'https://evil.example' } };
  expect((await visit(lesson, foreign)).status).toBe(403);
  expect(await learning.begin.mutate({ course_id: course.id })).toMatchObject({ done: 0 });
});

test('a former address of a lesson reveals nothing of a course that visitors do not find', async () => {
  for (const values of [{ lessons_published: false }, { visibility: 'private' }, { is_draft: true }]) {
    const course = await site.createCourse({ values });
    const lesson = course.lessonPath(0).replace(course.slug, 'no-such-course');
    const answers = [await nobody(lesson), await nobody(lesson, { form: { action: 'done' } })];
    expect(answers.map(({ status, headers }) => [status, headers.location])).toEqual([
      [404, undefined],
      [404, undefined],
    ]);
  }
  // The address of a hidden course answers like one that no course has.
  const hidden = await site.createCourse({ values: { visibility: 'private' } });
  const shown = await site.createCourse();
  for (const path of [hidden.path, '/courses/no-such-course']) {
    const { status, headers } = await nobody(`${path}/lessons/${shown.lessons[0]}`);
    expect([path, status, headers.location]).toEqual([path, 301, shown.lessonPath(0)]);
  }
});

test('a course with lessons in a fixed order shows visitors without an account where they need one, in every language', async () => {
  const ordered = await site.createCourse({ modules: [['One', 'Two']] });
  const unordered = await site.createCourse({ values: { sequential_access: false } });
  const single = await site.createCourse({ modules: [['One']] });
  const { visit } = await site.signUp('told@example.com');
  const told = new Set<string>();
  for (const language of languages) {
    await studio.site.update.mutate({ language });
    const linkTo = (path: string) => `href="/sign-in?${new URLSearchParams({ next: path })}">`;
    const opening = new RegExp(`<p class="meta">([^<]+) <a ${RegExp.escape(linkTo(ordered.path))}`);
    const sentence = opening.exec((await nobody(ordered.path)).text)?.[1] ?? '';
    expect([language, sentence]).toEqual([language, expect.stringMatching(/^.{20,}[.。]$/)]);
    told.add(sentence);
    const isTold = async (path: string, get = nobody) => {
      const { text } = await get(path);
      return text.includes(sentence) && text.includes(linkTo(path));
    };
    for (const path of [ordered.path, ordered.lessonPath(0)]) {
      expect([language, path, await isTold(path)]).toEqual([language, path, true]);
      expect([language, path, await isTold(path, visit)]).toEqual([language, path, false]);
    }
    for (const path of [unordered.path, unordered.lessonPath(0), single.path, single.lessonPath(0)])
      expect([language, path, await isTold(path)]).toEqual([language, path, false]);
  }
  expect(told.size).toBe(languages.length);
});

test('a date stays in one piece in a sentence that is written in the other direction', async () => {
  const course = await site.createCourse({ modules: [['One']] });
  const { visit, learning } = await site.signUp('dated@example.com');
  await learning.done.mutate({ lesson_id: course.lessons[0] ?? '' });
  for (const language of ['ar', 'he', 'en']) {
    await studio.site.update.mutate({ language });
    const day = new Intl.DateTimeFormat(language, { dateStyle: 'long', timeZone: 'UTC' }).format(
      app.clock.now(),
    );
    const shown = language === 'en' ? day : `\u2068${day}\u2069`;
    for (const path of [course.path, '/account'])
      expect([language, path, (await visit(path)).text]).toEqual([
        ...[language, path, expect.stringContaining(`Completed on ${shown}<`)],
      ]);
  }
});

test('a refused name for a certificate shows the course again, with the problem in the language of the site and in focus', async () => {
  const course = await site.createCourse({ modules: [['One']] });
  const learner = await site.signUp('refused@example.com');
  const path = `${course.path}/certificate`;
  const told = new Set<string>();
  const page = await browser.open();
  const { hostname } = new URL(app.baseUrl);
  await page.context().addCookies([{ name: 'member', value: learner.token, domain: hostname, path: '/' }]);
  const refused = async (name: string, focused: string) => {
    const { status, text } = await learner.visit(path, { form: { name } });
    expect(text).toContain(`<h1>${(await studio.courses.get.query({ id: course.id })).title}</h1>`);
    await page.route(`**${path}`, (route) => route.fulfill({ status, contentType: 'text/html', body: text }));
    await page.goto(app.baseUrl + path);
    await page.unroute(`**${path}`);
    const problem = await page.locator(focused).textContent();
    told.add(problem ?? '');
    return [status, await page.locator('*:focus').getAttribute('class'), (problem ?? '').length > 20];
  };
  for (const language of languages) {
    await studio.site.update.mutate({ language });
    expect([language, ...(await refused('Grace', '.progress .note, .note'))]).toEqual([
      language,
      409,
      'note',
      true,
    ]);
  }
  await learner.learning.done.mutate({ lesson_id: course.lessons[0] ?? '' });
  for (const language of languages) {
    await studio.site.update.mutate({ language });
    expect([language, ...(await refused('  ', '#name-problem'))]).toEqual([language, 400, null, true]);
    expect(await page.locator('#name:focus').getAttribute('aria-describedby')).toBe('name-hint name-problem');
  }
  expect(told.size).toBe(2 * languages.length);
});
