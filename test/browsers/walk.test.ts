import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { fillWithExample } from '../../server/demo/fill.ts';
import { startApp } from '../support/app.ts';
import { eventually } from '../support/eventually.ts';
import { pictureElement } from '../support/images.ts';
import { startMailServer } from '../support/mail-server.ts';
import { findFreePort } from '../support/process.ts';
import { buildStudio } from '../support/watched-browser.ts';
import { startTestWorker } from '../support/worker.ts';
import type { Browser, Driver, Setting } from './driver.ts';
import { createPerson, type Person } from './person.ts';
import { startTlsEnd } from './tls-end.ts';
import { wantedBrowsers } from './wanted.ts';

const gated = '/posts/reading-a-query-plan-over-coffee';
const secret = 'Start at the most indented line';
const reader = 'lin@example.com';

async function startWalk(browser: Browser, setting: Setting) {
  await using stack = new AsyncDisposableStack();
  const mail = await startMailServer();
  stack.defer(() => mail.close());
  const port = await findFreePort();
  const origin = browser.over === 'https' ? `https://localhost:${port}` : null;
  const config = origin ? { publicUrl: new URL(origin), trustProxy: ['127.0.0.0/8'] } : {};
  const app = stack.use(await startApp({ smtpUrl: mail.url, config }));
  // Sends the confirmation emails.
  stack.use(await startTestWorker(app, { mail: app.deps.mailer }));
  if (origin) stack.use(await startTlsEnd(port, app.baseUrl));
  await fillWithExample(app.deps, await app.seed.ownSite());
  const folder = await mkdtemp(path.join(tmpdir(), 'creator-content-walk-'));
  stack.defer(() => rm(folder, { recursive: true }));
  const boat = path.join(folder, 'boat.png');
  await writeFile(boat, await pictureElement('png', { width: 1_200, height: 800 }));
  const driver = stack.use(await browser.start(setting));
  const cleanUp = stack.move();
  return {
    app,
    mail,
    boat,
    owner: await app.seed.owner(),
    person: createPerson(driver, origin ?? app.baseUrl),
    [Symbol.asyncDispose]: () => cleanUp.disposeAsync(),
  };
}

type Walk = Awaited<ReturnType<typeof startWalk>>;

/** Saves a screenshot if `PICTURES` names a folder. */
async function keepImage(driver: Driver) {
  const folder = process.env.PICTURES;
  if (!folder) return;
  const at = await driver.run(() => location.pathname.replaceAll(/\W+/g, '-'));
  const name = `${expect.getState().currentTestName} at ${at}`.replaceAll(/[^\w-]+/g, ' ');
  await writeFile(path.join(folder, `${name}.png`), await driver.picture());
}

/** Checks that the page does not scroll sideways and has the requested color scheme. */
async function looksRight({ driver }: Person, { scheme, width, zoom = 1 }: Setting) {
  await keepImage(driver);
  const seen = await driver.run(() => {
    const canvas = document.createElement('canvas').getContext('2d');
    if (!canvas) return null;
    for (const element of [document.documentElement, document.body]) {
      canvas.fillStyle = getComputedStyle(element).backgroundColor;
      canvas.fillRect(0, 0, 1, 1);
    }
    const [red = 0, green = 0, blue = 0, alpha = 0] = canvas.getImageData(0, 0, 1, 1).data;
    return {
      at: location.pathname,
      width: innerWidth,
      overflow: Math.max(document.documentElement.scrollWidth - innerWidth, 0),
      scheme: alpha === 0 ? 'neither' : red + green + blue < 382 ? 'dark' : 'light',
    };
  });
  expect(seen).toEqual({ at: seen?.at, width: width / zoom, overflow: 0, scheme });
}

async function signInToStudio({ person, owner }: Walk) {
  await person.go('/studio/');
  await person.fill('Email', owner.email);
  await person.fill('Password', owner.password);
  await person.click('button', 'Sign in');
  await person.sees('To do');
}

async function writeAndPublish({ person, boat }: Walk, look: () => Promise<void>) {
  await person.go('/studio/posts/new');
  await person.write('Title', 'Walked by hand');
  await person.write('Content', 'A **bold** word. ');
  await person.chooseFile('[role="toolbar"] input[type="file"]', boat);
  await person.sees('Describe this image');
  await eventually(async () => /\/posts\/[a-z0-9]{15}$/.test(await person.path()));
  await look();
  await person.click('button', 'Publish');
  await person.sees('“Walked by hand” published');
  await person.go('/posts/walked-by-hand');
  await person.sees('A bold word.');
  const isShown = () => {
    const image = document.querySelector<HTMLImageElement>('article img, main img');
    return Boolean(image?.complete && image.naturalWidth > 0);
  };
  await eventually(() => person.driver.run(isShown));
  await look();
}

async function subscribeAndSignIn({ person, mail }: Walk, look: () => Promise<void>) {
  await person.go('/newsletter');
  await look();
  await person.fill('Email address', reader);
  await person.click('button', 'Subscribe');
  await person.sees('Check your email');
  await look();
  const { pathname } = new URL(await eventually(() => mail.linkFor(reader)));
  await person.go(pathname);
  await person.click('button', 'Subscribe');
  await person.sees('You are subscribed.');
  await person.go(gated);
  expect(await person.text()).not.toContain(secret);
  await look();
  await person.click('link', 'Sign in to read');
  // The previous page has a field with the same name.
  await eventually(async () => (await person.path()) === '/sign-in');
  await person.fill('Email address', reader);
  await person.click('button', 'Send me a code');
  // Two emails: the confirmation and the code.
  await eventually(() => mail.mails.filter(({ to }) => to.includes(reader)).length > 1);
  await person.fill('Code', mail.codeFor(reader));
  await person.click('button', 'Sign in');
  await person.sees(secret);
  await look();
}

/** Returns the text of each page on the way back. */
async function wayBack({ driver, text, whole }: Person): Promise<string[]> {
  const seen: string[] = [];
  for (let steps = 0; steps < 4; steps++) {
    await driver.back();
    await whole();
    seen.push(await text());
  }
  return seen;
}

beforeAll(buildStudio);

const settings: Setting[] = [
  { scheme: 'light', width: 390 },
  { scheme: 'dark', width: 390 },
  { scheme: 'light', width: 1280 },
  { scheme: 'dark', width: 1280 },
  { scheme: 'light', width: 1280, zoom: 2 },
  { scheme: 'light', width: 1280, hasForcedColors: true },
];

describe.for(wantedBrowsers)('$name', (browser) => {
  if (browser.missing !== null) {
    test.skip(`is not installed: ${browser.missing}`);
    return;
  }

  const possible = settings.filter(
    ({ hasForcedColors }) => !hasForcedColors || !browser.lacks.includes('forced colours'),
  );

  test.for(possible)(
    'an owner writes, uploads and publishes, a reader subscribes, signs in and out: %o',
    async (setting) => {
      await using walk = await startWalk(browser, setting);
      const { person } = walk;
      const look = () => looksRight(person, setting);
      await signInToStudio(walk);
      await look();
      await writeAndPublish(walk, look);
      await subscribeAndSignIn(walk, look);

      await person.go('/account');
      await person.click('button', 'Sign out');
      await eventually(async () => (await person.path()) === '/');
      const back = await wayBack(person);
      // WebKit submits a form again to show its result, which contains typed values but nothing of the account.
      expect(back.filter((page) => page.includes(secret) || page.includes('Sign out'))).toEqual([]);

      await person.go('/studio/posts');
      await person.sees('Walked by hand');
      await look();
      if (setting.width / (setting.zoom ?? 1) < 768) await person.click('button', 'Open navigation');
      await person.click('button', 'Olive Owner');
      await person.click('button', 'Sign out');
      await person.sees('Sign in to your studio');
      const left = await wayBack(person);
      expect(left.filter((page) => /Olive Owner|To do/.test(page))).toEqual([]);
    },
  );

  test.skipIf(browser.lacks.includes('the keyboard'))(
    'a post can be written, published and read by keyboard alone',
    async () => {
      await using walk = await startWalk(browser, { scheme: 'light', width: 1280 });
      const { person, owner } = walk;
      const { driver } = person;
      await person.go('/studio/');
      await person.reach('field', 'Email');
      await driver.type(owner.email);
      await person.reach('field', 'Password');
      await driver.type(owner.password);
      await driver.press('Enter');
      await person.sees('To do');
      await person.reach('link', 'Posts');
      await driver.press('Enter');
      await person.reach('link', 'New post');
      await driver.press('Enter');
      await person.reach('field', 'Title');
      await driver.type('Without a mouse');
      await eventually(async () => /\/posts\/[a-z0-9]{15}$/.test(await person.path()));
      await person.reach('button', 'Publish', 'Shift');
      await driver.press('Enter');
      await person.sees('“Without a mouse” published');
      await person.go('/posts');
      await person.reach('link', 'Skip to content');
      await driver.press('Enter');
      await person.reach('link', 'Without a mouse');
      await driver.press('Enter');
      await eventually(async () => (await person.path()) === '/posts/without-a-mouse');
    },
  );
});
