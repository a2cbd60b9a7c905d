import { HtmlValidate } from 'html-validate';
import { afterAll, expect, test } from 'vitest';
import { defaultTheme } from '../../shared/contract/features/theme.ts';
import { mailShell } from '../../shared/mail/shell.ts';
import { mailStyle } from '../../shared/mail/style.ts';
import { contrast, parse } from '../../shared/theme/palettes.ts';
import { startEveryMail } from '../support/every-mail.ts';
import { takeMailPictures } from '../support/mail-pictures.ts';
import { outlookFaults } from '../support/outlook.ts';
import { findViolations, startWatchedBrowser } from '../support/watched-browser.ts';

// Tests docs/newsletters.md.

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

test.skipIf(!folder)('screenshots of all emails, for review', { timeout: 600_000 }, () =>
  takeMailPictures(every.mails, { folder: folder ?? '', origin: every.app.baseUrl }),
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
