import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import sharp from 'sharp';
import { launchChromium } from './browser.ts';

interface Pictured {
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
export async function takeMailPictures(
  mails: readonly Pictured[],
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
  mails: readonly Pictured[],
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
