import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type axe from 'axe-core';
import type { BrowserContext, BrowserContextOptions, Page, Request } from 'playwright-core';
import { expect } from 'vitest';
import { startVisitors } from './browser.ts';
import { folderOfRun } from './once-per-run.ts';

/** A browser whose pages are watched while scripts run on them, also those that they open. Dispose of it. */
export async function startWatchedBrowser(switches: readonly string[] = []) {
  const { newVisitor, ...browser } = await startVisitors(switches);
  return {
    ...browser,
    /** A new visitor, with what their pages did wrong. */
    open: async (options: BrowserContextOptions = {}) =>
      watch(await newVisitor({ reducedMotion: 'reduce', ...options })),
  };
}

async function watch(context: BrowserContext) {
  context.setDefaultTimeout(60_000);
  context.on('page', watchTraffic);
  const faults: string[] = [];
  const hosts = new Set<string>();
  context.on('console', (message) => {
    const text = message.text();
    const of = text.startsWith('Failed to load') ? ` ${message.location().url}` : '';
    if (['error', 'warning'].includes(message.type())) faults.push(`console: ${text}${of}`);
  });
  context.on('weberror', (error) => faults.push(`uncaught: ${error.error().message}`));
  context.on('request', (request) => {
    const { protocol, host } = new URL(request.url());
    if (protocol.startsWith('http')) hosts.add(host);
  });
  await context.addInitScript(() =>
    // Chromium doesn't tell the console of those that the page has caught.
    document.addEventListener('securitypolicyviolation', ({ violatedDirective, blockedURI }) =>
      console.error(`policy violated: ${violatedDirective} ${blockedURI}`),
    ),
  );
  return { context, page: await context.newPage(), faults, hosts };
}

/** What pages ask for that has not been answered, and how often that has changed. */
const traffic = new WeakMap<Page, { open: Set<Request>; changes: number }>();

function watchTraffic(page: Page) {
  const seen = { open: new Set<Request>(), changes: 0 };
  traffic.set(page, seen);
  const end = (request: Request) => {
    if (seen.open.delete(request)) seen.changes++;
  };
  page.on('request', (request) => {
    seen.open.add(request);
    seen.changes++;
  });
  page.on('requestfinished', end);
  page.on('requestfailed', end);
}

/** How often a page comes to rest, for 20 ms at least, before it is taken to ask for nothing more: longer than the longest pause it makes. */
const rests = 22;

/**
 * Waits until all that a page has asked for was answered, and it came to rest again and again without asking for more: by
 * its own turns, since a page may get little time on a busy machine. Playwright's `networkidle` waits half a second, and
 * may never come on a page that has shown a frame.
 */
export async function noTraffic(page: Page) {
  const seen = traffic.get(page);
  if (!seen) throw new Error('the page is not watched');
  const isQuiet = async () => {
    const { changes } = seen;
    if (seen.open.size > 0 || !(await rest(page))) return false;
    return seen.open.size === 0 && seen.changes === changes;
  };
  await expect.poll(isQuiet, { interval: 10 }).toBe(true);
}

/** Lets a page do first what it has to, also what waits for a moment. False where it went elsewhere meanwhile. */
const rest = (page: Page): Promise<boolean> =>
  page
    .evaluate(async (times) => {
      for (let time = 0; time < times; time++) {
        await new Promise((done) => setTimeout(done, 20));
        await scheduler.postTask(() => {}, { priority: 'background' });
      }
      return true;
    }, rests)
    .catch(() => false);

/** Takes away what Chromium itself notes of a refused request, which may be after the page has shown it; there is nothing else. */
export async function takeRefusal(faults: string[], status: number) {
  await expect.poll(() => faults).toEqual([expect.stringContaining(`status of ${status}`)]);
  faults.length = 0;
}

/** Builds the panel, unless it has been built from the same sources; the first of a run to ask for it finds out. */
export async function buildStudio() {
  const builder = join(import.meta.dirname, '../../client/studio/build/build.ts');
  await folderOfRun('studio', async () => {
    await promisify(execFile)(process.execPath, [builder, '--if-changed']);
  });
}

/** Half as long as what the package itself gives, and sent to each page that is looked at. */
const axeSource = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

const standards = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'best-practice'];

const colourRules = ['color-contrast', 'link-in-text-block'];

type Looks = Pick<axe.RunOptions, 'runOnly' | 'rules'>;

/** All that can fail where nothing but colours changed since the last look. */
export const byColour: Looks = { runOnly: colourRules };

/** All that can fail where no colour did, which takes a third of the time. */
export const butColour: Looks = {
  rules: Object.fromEntries(colourRules.map((rule) => [rule, { enabled: false }])),
};

/** What stands in the way of people who can't see or use a mouse, as axe finds it: rule and place. */
export async function findViolations(page: Page, looks: Looks = {}): Promise<string[]> {
  if (!(await page.evaluate(() => 'axe' in globalThis))) await page.evaluate(axeSource);
  const options: axe.RunOptions = {
    runOnly: standards,
    ...looks,
    resultTypes: ['violations'],
    // None of them runs scripts, by which they could be looked into.
    iframes: false,
  };
  return page.evaluate(async (options) => {
    // Put there by the line above.
    const { run } = Reflect.get(globalThis, 'axe') as Pick<typeof axe, 'run'>;
    const { violations } = await run('html', options);
    return violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html.slice(0, 300)}`));
  }, options);
}
