import { gzipSync } from 'node:zlib';
import { afterAll, expect, test } from 'vitest';
import { startingStyles } from '../../shared/contract/features/theme.ts';
import { keysOf } from '../../shared/contract/names-of.ts';
import { coloursIn, contrast, parse } from '../../shared/theme/palettes.ts';
import { startApp } from '../support/app.ts';
import { startBrowser } from '../support/browser.ts';
import { demoPages, startDemoSite } from '../support/demo-site.ts';
import { ownerClient } from '../support/rpc.ts';
import { createVisitor } from '../support/visitor.ts';
import { findViolations } from '../support/watched-browser.ts';

const app = await startDemoSite();
const browser = await startBrowser();
afterAll(async () => {
  await browser[Symbol.asyncDispose]();
  await app[Symbol.asyncDispose]();
});
const { studio } = ownerClient(app.baseUrl, await app.seed.ownerToken(app.siteId));

const visit = createVisitor(app.baseUrl);

const looks = keysOf(startingStyles);
const schemes = ['light', 'dark'] as const;

test.for(looks)('text and code of the look %s have enough contrast on both backgrounds', (look) => {
  for (const scheme of schemes) {
    const { paper, raised, line: _, ...words } = coloursIn(scheme, { look, ...startingStyles[look] });
    for (const [name, colour] of Object.entries(words))
      for (const ground of [paper, raised])
        expect([scheme, name, contrast(parse(colour), parse(ground)) >= 4.5]).toEqual([scheme, name, true]);
  }
});

const views = [
  ['light', { width: 1280, height: 900 }],
  ['dark', { width: 390, height: 844 }],
] as const;

// Other tests cover pages in the look `journal`.
test.for(looks.filter((look) => look !== 'journal'))(
  'pages in the look %s have no axe violations and are not wider than the screen',
  async (look) => {
    await studio.site.update.mutate({ theme: { look, ...startingStyles[look] } });
    for (const [colorScheme, viewport] of views) {
      const page = await browser.open({ colorScheme, viewport, javaScriptEnabled: true, bypassCSP: true });
      await page.goto(app.baseUrl);
      for (const path of demoPages) {
        // Inserted into the open page, where axe is already loaded. Navigating takes three times as long.
        await page.setContent((await visit(path)).text);
        expect([path, await findViolations(page)]).toEqual([path, []]);
        const overflow = await page.evaluate<number>('document.documentElement.scrollWidth - innerWidth');
        expect([path, overflow]).toEqual([path, 0]);
      }
      await page.context().close();
    }
  },
);

test('lists of the look `plain` show no images and reserve no space for them', async () => {
  await studio.site.update.mutate({ theme: { look: 'plain', ...startingStyles.plain } });
  const page = await browser.open({ viewport: views[1][1] });
  for (const path of ['/', '/projects', '/posts']) {
    await page.goto(app.baseUrl + path);
    expect(await page.locator('.thumb, .card-cover').count()).toBeGreaterThan(0);
    expect(await page.locator('.thumb, .card-cover').filter({ visible: true }).count()).toBe(0);
  }
});

test('an accent color with too little contrast on a colored header is adjusted', async () => {
  for (const accent of ['#ffee00', '#111111', '#ffffff']) {
    await studio.site.update.mutate({ theme: { look: 'classroom', accent } });
    for (const colorScheme of schemes) {
      const page = await browser.open({ colorScheme, javaScriptEnabled: true, bypassCSP: true });
      await page.goto(app.baseUrl);
      expect([accent, colorScheme, await findViolations(page)]).toEqual([accent, colorScheme, []]);
      await page.context().close();
    }
  }
});

test.for(looks)('a page in the look %s with its styles is smaller than 40 kB', async (look) => {
  await studio.site.update.mutate({ theme: { look, ...startingStyles[look] } });
  const page = await (await fetch(app.baseUrl)).text();
  const [, sheet = ''] = /<link rel="stylesheet" href="([^"]+)">/.exec(page) ?? [];
  const css = await (await fetch(app.baseUrl + sheet)).text();
  expect(css).toContain('--paper');
  expect(gzipSync(page).length + gzipSync(css).length).toBeLessThan(40_000);
});

test.for(looks)('an empty site in the look %s has no axe violations', async (look) => {
  await using empty = await startApp();
  const owner = ownerClient(empty.baseUrl, await empty.seed.ownerToken());
  await owner.studio.site.update.mutate({ theme: { look, ...startingStyles[look] } });
  const page = await browser.open({ javaScriptEnabled: true, bypassCSP: true });
  for (const path of ['/', '/posts', '/projects', '/courses']) {
    await page.goto(empty.baseUrl + path);
    expect([path, await findViolations(page)]).toEqual([path, []]);
  }
});

test('a logo replaces the visible name and has it as alternative text, and an icon replaces the initial', async () => {
  const home = async () => (await fetch(app.baseUrl)).text();
  expect(await home()).toContain('<link rel="icon" href="/favicon.svg" type="image/svg+xml">');
  const [logo, icon] = ['https://ada.example/logo.png?a=1&b="', 'https://ada.example/icon.png'];
  await studio.site.update.mutate({ theme: { logo, icon } });
  const text = await home();
  expect(text).toContain('<link rel="icon" href="https://ada.example/icon.png">');
  expect(text).toMatch(
    /<a class="name" [^>]*><img src="https:[^"]*a=1&amp;b=[^"]*" alt="Ada Marsh" height="40"><\/a>/,
  );
  await studio.site.update.mutate({ theme: { logo: null, icon: null } });
  expect(await home()).toContain('>Ada Marsh</a>');
});
