import { mkdir } from 'node:fs/promises';
import { HtmlValidate } from 'html-validate';
import { afterAll, expect, test } from 'vitest';
import { startBrowser } from '../support/browser.ts';
import { startLearningSite } from '../support/learning-site.ts';
import { markupRules } from '../support/markup-rules.ts';
import { createVisitor } from '../support/visitor.ts';
import { byColour, findViolations } from '../support/watched-browser.ts';

const site = await startLearningSite({ config: { countsTest: true } });
const { app, studio } = site;
const browser = await startBrowser();
afterAll(async () => {
  await browser[Symbol.asyncDispose]();
  await app[Symbol.asyncDispose]();
});

const long = 'Donaudampfschifffahrtselektrizitätenhauptbetriebswerkbauunterbeamtengesellschaft';
const images = process.env.PICTURES;
const validator = new HtmlValidate(markupRules);

test.for(['de', 'ja', 'ar'])(
  'pages of learners in %s fit a phone, also with long titles, and axe finds nothing wrong with them, light or dark',
  async (language) => {
    await studio.site.update.mutate({ language, currency: 'EUR' });
    const course = await site.createCourse({
      values: { title: `${long} und Pläne`, access_tier: 'paid', description: 'Indexes, locks and plans.' },
      modules: [
        ['*Eins', `Zwei: ${long}`, 'Drei'],
        ['Vier', 'Fünf'],
      ],
    });
    await studio.offers.create.mutate({
      ...{
        title: 'Kurs',
        interval: 'once',
        collection: 'courses',
        record_id: course.id,
        amount: 49,
        currency: 'EUR',
      },
    });
    const done = await site.createCourse({ values: { title: `Fertig: ${long}` }, modules: [['Eins']] });
    const { learning, token, visit } = await site.signUp(`${language}@example.com`, ['paid']);
    await learning.done.mutate({ lesson_id: course.lessons[0] ?? '' });
    await learning.done.mutate({ lesson_id: done.lessons[0] ?? '' });
    const named = await site.createCourse({ values: { title: 'Vergeben' }, modules: [['Eins']] });
    await learning.done.mutate({ lesson_id: named.lessons[0] ?? '' });
    await learning.certify.mutate({ course_id: named.id, name: `Ada ${long}` });
    app.clock.advance({ minutes: 1 });
    await site.addLesson(done.modules[0] ?? '', 'Neu', 1);
    const [row] = await site.run<{ id: string }>(
      'select certificate_id as id from enrollments where course_id = ? and certificate_id is not null',
      [named.id],
    );
    const certificate = `/certificates/${row?.id}`;
    const own = [course.path, course.lessonPath(0), course.lessonPath(1), done.path, '/account', certificate];
    const page = await browser.open({ javaScriptEnabled: true, bypassCSP: true });
    const look = async (path: string, name: string, get = visit) => {
      const { results } = await validator.validateString((await get(path)).text);
      expect([path, results.flatMap(({ messages }) => messages.map(({ message }) => message))]).toEqual([
        path,
        [],
      ]);
      await page.goto(app.baseUrl + path);
      for (const width of [390, 1_280]) {
        await page.setViewportSize({ width, height: 844 });
        for (const colorScheme of ['light', 'dark'] as const) {
          await page.emulateMedia({ colorScheme });
          const rules = colorScheme === 'dark' ? [byColour] : [];
          // The rules of axe do not depend on the width.
          if (width === 390) expect([path, await findViolations(page, ...rules)]).toEqual([path, []]);
          if (images)
            await page.screenshot({
              path: `${images}/${language}-${name}-${width}-${colorScheme}.png`,
              fullPage: true,
            });
        }
        expect([path, await page.evaluate(() => document.documentElement.scrollWidth)]).toEqual([
          path,
          width,
        ]);
      }
    };
    if (images) await mkdir(images, { recursive: true });
    for (const path of [course.path, course.lessonPath(0), course.lessonPath(1)])
      await look(path, `nobody-${path.replaceAll('/', '_')}`, createVisitor(app.baseUrl));
    const { hostname } = new URL(app.baseUrl);
    await page.context().addCookies([{ name: 'member', value: token, domain: hostname, path: '/' }]);
    for (const path of own) await look(path, `learner-${path.replaceAll('/', '_')}`);
    await page.emulateMedia({ media: 'print' });
    await page.goto(app.baseUrl + certificate);
    if (images) await page.pdf({ path: `${images}/${language}-certificate.pdf`, format: 'A4' });
    expect(await page.locator('header.top nav, footer.bottom').locator('visible=true').count()).toBe(0);
  },
);
