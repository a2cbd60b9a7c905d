import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { HtmlValidate } from 'html-validate';
import type { Browser, Page } from 'playwright-core';
import sharp from 'sharp';
import { afterAll, expect, test } from 'vitest';
import { defaultTheme } from '../../shared/contract/features/theme.ts';
import { mailShell } from '../../shared/mail/email-frame.ts';
import { mailStyle } from '../../shared/mail/email-style.ts';
import { contrast, parse } from '../../shared/theme/palettes.ts';
import { launchChromium } from '../support/browser.ts';
import { startEveryMail } from '../support/every-mail.ts';
import { findViolations, startWatchedBrowser } from '../support/watched-browser.ts';

// Tests docs/reference/newsletter-emails.md.

const every = await startEveryMail();
const browser = await startWatchedBrowser();
afterAll(async () => {
  await browser[Symbol.asyncDispose]();
  await every[Symbol.asyncDispose]();
});

const validator = new HtmlValidate({
  extends: ['html-validate:standard', 'html-validate:a11y'],
  rules: {
    'no-trailing-whitespace': 'off',
    'long-title': 'off',
    'void-style': 'off',
    // Outlook needs these attributes and comments to render emails correctly.
    'no-deprecated-attr': 'off',
    'no-conditional-comment': 'off',
  },
});

test.for(every.mails)('$name is rendered whole by the engine of Outlook for Windows', ({ html = '' }) => {
  expect(outlookFaults(html)).toEqual([]);
});

test.for(every.mails)('$name is valid HTML', async ({ html = '' }) => {
  const { results } = await validator.validateString(html);
  expect(
    results.flatMap(({ messages }) => messages.map(({ ruleId, message, line }) => [ruleId, message, line])),
  ).toEqual([]);
});

test.for(every.mails)(
  '$name begins with a plain text part that has the content of the HTML part',
  ({ raw, text = '', html = '' }) => {
    const types = [...raw.matchAll(/^Content-Type: ([a-z]+\/[a-z]+)/gim)].map(([, type]) => type);
    expect(types).toEqual(['multipart/alternative', 'text/plain', 'text/html']);
    expect(text).not.toMatch(/<\/|&(amp|lt|quot);|\n{4}|↩/);
    const shown = html.replace(/<style>[\s\S]*<\/style>/, '').replace(/&amp;/g, '&');
    for (const [link] of text.matchAll(/https?:\/\/[^\s>]+/g)) expect(shown).toContain(link);
  },
);

test.for(every.mails)(
  '$name is readable at 320 pixels, in both color schemes, and if the mail program inverts colors',
  async ({ html = '' }) => {
    const { page, context } = await browser.open({ viewport: { width: 320, height: 700 } });
    await page.route(/^https?:/, (route) => route.abort());
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme });
      await page.setContent(html);
      const violations = await findViolations(page);
      expect([colorScheme, violations.filter((one) => !ofPages.test(one))]).toEqual([colorScheme, []]);
      expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(320);
      // Mail programs that invert colors ignore color schemes, so that the light one is enough.
      const pairs = colorScheme === 'light' ? await page.evaluate(coloursOfWords) : [];
      for (const [colour, ground] of pairs)
        expect([colour, ground, contrast(turned(colour), turned(ground)) >= 3]).toEqual([
          colour,
          ground,
          true,
        ]);
    }
    await context.close();
  },
);

test('an email fits a phone, even with a very long word as site name', async () => {
  const word = 'Rindfleischetikettierungsüberwachungsaufgabenübertragungsgesetz';
  const html = await mailShell({
    language: 'en',
    dir: 'ltr',
    style: mailStyle(defaultTheme),
    subject: word,
    preheader: '',
    site: word,
    content: word,
    foot: word,
  });
  const { page, context } = await browser.open({ viewport: { width: 320, height: 700 } });
  await page.setContent(html);
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(320);
  await context.close();
});

/** Rules for complete pages, which do not apply to an email inside a mail program. */
const ofPages = /^(landmark-one-main|region|page-has-heading-one):/;

const folder = process.env.PICTURES;

test.skipIf(!folder)('screenshots of all emails, for review', () =>
  takeMailImages(every.mails, { folder: folder ?? '', origin: every.app.baseUrl }),
);

const turned = (colour: number[]) =>
  parse(`#${colour.map((part) => (255 - part).toString(16).padStart(2, '0')).join('')}`);

/** Runs in the browser. Returns each text color with the color behind it. */
function coloursOfWords(): [number[], number[]][] {
  const rgb = (text: string) => (text.match(/[\d.]+/g) ?? []).map(Number);
  const words = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  const pairs = new Map<string, [number[], number[]]>();
  while (words.nextNode()) {
    const element = words.currentNode.parentElement;
    if (!element || !words.currentNode.textContent?.trim()) continue;
    const colour = getComputedStyle(element).color;
    let ground = '';
    for (let at: Element | null = element; at && !ground; at = at.parentElement) {
      const { backgroundColor, display } = getComputedStyle(at);
      if (display === 'none') ground = colour;
      else if (rgb(backgroundColor)[3] !== 0) ground = backgroundColor;
    }
    if (ground !== colour)
      pairs.set(`${colour} ${ground}`, [rgb(colour).slice(0, 3), rgb(ground).slice(0, 3)]);
  }
  return [...pairs.values()];
}

interface WithImage {
  name: string;
  html?: string | undefined;
}

const widths = [320, 390, 600] as const;
const schemes = ['light', 'dark'] as const;

/** Emails of the sheet in the documentation, each with a color scheme. */
const shown = [
  ['a newsletter with a cover', 'light'],
  ['a newsletter with all there is', 'dark'],
  ['a newsletter for members, to a stranger', 'dark'],
  ['a newsletter in German', 'light'],
  ['a code', 'light'],
  ['an invitation', 'dark'],
] as const;

/** Writes screenshots of emails at each width and in both schemes, and a sheet with several of them. */
async function takeMailImages(
  mails: readonly WithImage[],
  { folder, origin }: { folder: string; origin: string },
) {
  await mkdir(folder, { recursive: true });
  const browser = await launchChromium();
  for (const { name, html = '' } of mails)
    for (const scheme of schemes)
      for (const width of widths) {
        const page = await open(browser, { html, scheme, width, origin });
        const path = join(folder, `${name.replaceAll(/\W+/g, '-')}-${width}-${scheme}.png`);
        await page.screenshot({ path, fullPage: true });
        await page.context().close();
      }
  await drawSheet(browser, mails, { folder, origin });
  await browser.close();
}

/** Writes the sheet. Each email has a cell, in which long ones are cut off. */
async function drawSheet(
  browser: Browser,
  mails: readonly WithImage[],
  { folder, origin }: { folder: string; origin: string },
) {
  const [width, height, gap] = [390, 760, 24];
  const columns = shown.map(async ([name, scheme], at) => {
    const html = mails.find((mail) => mail.name === name)?.html ?? '';
    const page = await open(browser, { html, scheme, width, origin });
    const input = await page.screenshot({ clip: { x: 0, y: 0, width, height } });
    return { input, left: gap + (at % 3) * (width + gap), top: gap + Math.floor(at / 3) * (height + gap) };
  });
  const sheet = sharp({
    create: {
      width: 3 * (width + gap) + gap,
      height: 2 * (height + gap) + gap,
      channels: 3,
      background: '#d9d6d0',
    },
  })
    .composite(await Promise.all(columns))
    .png();
  await sharp(await sheet.toBuffer())
    .resize({ width: 960 })
    .webp({ quality: 62 })
    .toFile(join(folder, 'mails.webp'));
}

interface Opening {
  html: string;
  scheme: (typeof schemes)[number];
  width: number;
  /** Origin of the site's images. */
  origin: string;
}

async function open(browser: Browser, { html, scheme, width, origin }: Opening): Promise<Page> {
  const context = await browser.newContext({ colorScheme: scheme, viewport: { width, height: 760 } });
  const page = await context.newPage();
  await page.route(/^https?:/, async (route) => {
    const { pathname } = new URL(route.request().url());
    if (!pathname.startsWith('/media/')) return route.abort();
    const answer = await fetch(origin + pathname);
    const [body, contentType] = [Buffer.from(await answer.arrayBuffer()), answer.headers.get('content-type')];
    await route.fulfill({ status: answer.status, body, contentType: contentType ?? '' });
  });
  await page.setContent(html, { waitUntil: 'networkidle' });
  return page;
}

/**
 * Returns the parts of an email that Outlook for Windows would drop or show differently, because it renders HTML with
 * Word. The rules are those of "Word 2007 HTML and CSS rendering capabilities in Outlook 2007". Properties that it
 * drops without harm are in `extras`.
 */
function outlookFaults(html: string): string[] {
  const body = html.slice(html.indexOf('<body'));
  const faults: string[] = [];
  for (const [, tag = '', attributes = ''] of body.matchAll(
    /<([a-z][a-z0-9]*)((?:\s+[a-z-]+(?:="[^"]*")?)*)\s*\/?>/g,
  )) {
    const found = new Map(
      [...attributes.matchAll(/\s+([a-z-]+)(?:="([^"]*)")?/g)].map(([, name = '', value = '']) => [
        name,
        value,
      ]),
    );
    const say = (fault: string) => faults.push(`<${tag}>: ${fault}`);
    if (!tags.has(tag)) say('is not shown');
    for (const [name, value] of found) {
      if (!(attributesOf[tag] ?? everywhere).includes(name) && !everywhere.includes(name))
        say(`attribute ${name}`);
      if (name === 'style')
        for (const [property, text] of declarations(value))
          if (!takes(tag, property, text)) say(`${property}:${text}`);
    }
    if (tag === 'table' && found.get('role') === 'presentation')
      for (const name of ['cellpadding', 'cellspacing', 'border'])
        if (found.get(name) !== '0') say(`lacks ${name}`);
    if (tag === 'img' && !found.has('alt')) say('says nothing where pictures are not shown');
    if (tag === 'a' && !found.get('style')?.includes('color:')) say('has the colour of the program');
    const ground = /(?:^|;)background-color:(#[0-9a-f]{6})/.exec(found.get('style') ?? '')?.[1];
    if (ground && (tag === 'td' || tag === 'table') && !html.includes(`bgcolor="${ground}"`))
      say('lacks bgcolor');
  }
  for (const [, text = ''] of body.matchAll(/<t[dh](?:\s[^>]*?style="([^"]*)")?[^>]*>\s*[^\s<&]/g))
    if (!text.includes('font-family:')) faults.push('a cell with words: lacks its font');
  const sheets = [...html.matchAll(/<style>([\s\S]*?)<\/style>/g)].map(([, sheet = '']) => sheet);
  if (sheets.some((sheet) => !sheet.startsWith('@media (prefers-color-scheme:dark){')))
    faults.push('<style>: has more than what programs add in the dark');
  if (/var\(|calc\(|url\(|@import|@font-face|javascript:/.test(body))
    faults.push('a value that it does not know');
  return [...new Set(faults)];
}

const tags = new Set(
  [
    'body table tbody thead tfoot caption tr td th div p h1 h2 h3 h4 h5 h6 ul ol li dl dt dd blockquote pre code kbd samp var',
    'a img br hr strong b em i u s del ins mark small sub sup abbr cite q span dfn',
  ].flatMap((names) => names.split(' ')),
);

const everywhere = ['style', 'class', 'title', 'lang', 'dir'];

const grid = ['role', 'width', 'cellpadding', 'cellspacing', 'border', 'bgcolor', 'align'];

const attributesOf: Readonly<Record<string, string[]>> = {
  table: grid,
  td: ['align', 'bgcolor', 'height', 'width', 'colspan', 'rowspan'],
  th: ['align', 'scope', 'colspan', 'rowspan'],
  img: ['src', 'alt', 'width', 'height'],
  a: ['href'],
  ol: ['start', 'reversed'],
  li: ['value'],
};

/** Properties that it supports on all elements; `blocks` are the elements that support margins. */
const taken =
  /^(color|font-(family|size|weight|style)|line-height|letter-spacing|text-(align|decoration)|white-space|list-style)$/;

const blocks = /^(body|h[1-6]|p|div|ul|ol|li|dd|blockquote|pre|hr)$/;

/** Properties that it ignores, with no loss except in appearance. */
const extras = /^(max-width|max-height|overflow|overflow-wrap|border-radius|table-layout)$/;

function takes(tag: string, property: string, value: string): boolean {
  if (taken.test(property) || extras.test(property)) return true;
  if (/^margin(-(left|right))?$/.test(property))
    return blocks.test(tag) || (tag === 'table' && value === '0');
  if (/^padding(-(left|right))?$/.test(property)) return /^t[dh]$|^caption$/.test(tag) || value === '0';
  if (/^border(-(top|bottom|left|right))?$/.test(property)) return /^(td|th|hr)$/.test(tag) || value === '0';
  if (property === 'background-color') return /^(body|table|td|mark)$/.test(tag) && value.startsWith('#');
  if (property === 'border-collapse') return tag === 'table';
  if (property === 'height') return tag === 'td' || (tag === 'img' && value === 'auto');
  if (property === 'display') return value === 'none' || (tag === 'img' && value === 'block');
  return false;
}

const declarations = (style: string) =>
  style.split(';').map((one) => {
    const at = one.indexOf(':');
    return [one.slice(0, at).trim(), one.slice(at + 1).trim()] as const;
  });
