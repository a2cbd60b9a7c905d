import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { startApp } from '../support/app.ts';
import { eventually } from '../support/eventually.ts';
import { bodyOf, withLearning } from '../support/learning-site.ts';
import { startMailServer } from '../support/mail-server.ts';
import { findFreePort } from '../support/process.ts';
import type { Browser, Setting } from './driver.ts';
import { createPerson } from './person.ts';
import { startPolicyWatch } from './policy-watch.ts';
import { startTlsEnd } from './tls-end.ts';
import { wantedBrowsers } from './wanted.ts';

const reader = 'lin@example.com';
const player = 'www.youtube-nocookie.com';

/** Starts a site with a free course of three lessons: a video of YouTube, an own file, and a file of another site. */
async function startTaking(browser: Browser, setting: Setting) {
  await using stack = new AsyncDisposableStack();
  const mail = await startMailServer();
  stack.defer(() => mail.close());
  const port = await findFreePort();
  const origin = `${browser.over}://localhost:${port}`;
  const config = { publicUrl: new URL(origin), trustProxy: ['127.0.0.0/8'] };
  const app = stack.use(await startApp({ smtpUrl: mail.url, config }));
  const { over } = browser;
  const watch = stack.use(await startPolicyWatch(app.baseUrl, over, over === 'http' ? port : 0));
  if (over === 'https') stack.use(await startTlsEnd(port, watch.url));
  const site = withLearning(
    { ...app, baseUrl: watch.url },
    { siteId: await app.seed.ownSite(), token: await app.seed.ownerToken() },
  );
  const course = await site.createCourse({ values: { title: 'Locks and plans' } });
  for (const [at, video_url] of [
    'https://youtu.be/dQw4w9WgXcQ',
    `${origin}/media/mb3k9x2a7f0q1zd/film.webm`,
    'https://cdn.example/film.mp4',
  ].entries())
    await site.studio.lessons.update.mutate({ id: course.lessons[at] ?? '', video_url });
  const driver = stack.use(await browser.start(setting));
  const cleanUp = stack.move();
  return {
    ...{ course, mail, reports: watch.reports, host: `localhost:${port}` },
    person: createPerson(driver, origin),
    [Symbol.asyncDispose]: () => cleanUp.disposeAsync(),
  };
}

describe.for(wantedBrowsers)('$name', (browser) => {
  test.skipIf(browser.missing !== null).for([
    { scheme: 'light', width: 390 },
    { scheme: 'dark', width: 1280 },
  ] as const)(
    'a reader takes a course, and no page requests anything of other sites before a video is played or violates its policy: %o',
    async (setting) => {
      await using taking = await startTaking(browser, setting);
      const { course, person, mail, host, reports } = taking;
      const { driver } = person;
      /** Checks the page, and returns the other hosts that it sent requests to. */
      const look = async (name: string) => {
        if (process.env.PICTURES)
          await writeFile(
            path.join(process.env.PICTURES, `${browser.name}-${setting.width}-${name}.png`),
            await driver.picture(),
          );
        await person.whole();
        const seen = await driver.run(() => ({
          overflow: Math.max(document.documentElement.scrollWidth - innerWidth, 0),
          hosts: performance.getEntriesByType('resource').map(({ name: url }) => new URL(url).host),
        }));
        expect([name, seen.overflow, reports]).toEqual([name, 0, []]);
        return [...new Set(seen.hosts)].filter((each) => each !== host);
      };
      const at = (to: string) => eventually(async () => (await person.path()) === to);

      await person.go(course.path);
      await person.sees('Each lesson opens when the lessons before it are done.');
      expect(await look('course')).toEqual([]);
      await person.click('link', 'One');
      await person.sees(bodyOf('One'));
      expect(await look('lesson')).toEqual([]);
      await person.click('link', 'Play from YouTube');
      const frame = () =>
        driver.run(() => {
          const src = document.querySelector('iframe')?.src;
          return src ? new URL(src).host : '';
        });
      await eventually(async () => (await frame()) === player);
      expect([[], [player]]).toContainEqual(await look('playing'));

      await person.click('link', 'Sign in');
      await at('/sign-in');
      await person.fill('Email address', reader);
      await person.click('button', 'Send me a code');
      await eventually(() => mail.mails.some(({ to }) => to.includes(reader)));
      await person.fill('Code', mail.codeFor(reader));
      await person.click('button', 'Sign in');
      await at(course.lessonPath(0));
      expect(await look('signed-in')).toEqual([]);
      for (const [position, title] of ['One', 'Two', 'Three'].entries()) {
        await at(course.lessonPath(position));
        await person.sees(bodyOf(title));
        expect([title, await look(`lesson-${position + 1}`)]).toEqual([title, []]);
        await person.click('button', 'Done, continue');
      }
      await at(course.path);
      await person.sees('3 of 3 lessons done');
      expect(await look('completed')).toEqual([]);
      await person.fill('Name on the certificate', 'Lin Reader');
      await person.click('button', 'Get certificate');
      await person.sees('Lin Reader');
      expect(await look('certificate')).toEqual([]);
      await person.go('/account');
      await person.sees('Locks and plans');
      expect(await look('account')).toEqual([]);
    },
  );
});
