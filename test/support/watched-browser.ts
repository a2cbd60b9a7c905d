import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type axe from 'axe-core';
import type { BrowserContext, BrowserContextOptions, Page, Request } from 'playwright-core';
import { expect } from 'vitest';
import { startVisitors } from './browser.ts';
import { folderOfRun } from './run-once-per-suite.ts';

/**
 * Starts a browser that records faults on its pages while scripts run, including pages that they open. Dispose of it.
 */
export async function startWatchedBrowser(switches: readonly string[] = []) {
  const { newVisitor, ...browser } = await startVisitors(switches);
  return {
    ...browser,
    /** Opens a new visitor, with the faults of their pages. */
    open: async (options: BrowserContextOptions = {}) =>
      watch(await newVisitor({ reducedMotion: 'reduce', ...options })),
  };
}

async function watch(context: BrowserContext) {
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
    // Chromium does not log violations that the page handles.
    document.addEventListener('securitypolicyviolation', ({ violatedDirective, blockedURI }) =>
      console.error(`policy violated: ${violatedDirective} ${blockedURI}`),
    ),
  );
  return { context, page: await context.newPage(), faults, hosts };
}

/** Open requests of pages, and the number of changes of that set. */
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

/**
 * Number of idle periods of at least 20 ms after which a page counts as finished. Together they exceed the longest
 * pause between a page's requests.
 */
const rests = 22;

/**
 * Waits until a page has no open requests and was idle several times without sending another. It counts idle periods of
 * the page, which may be slow on a busy machine. Playwright's `networkidle` waits half a second, and may never come on
 * a page that has shown a frame.
 */
export async function noTraffic(page: Page) {
  const seen = traffic.get(page);
  if (!seen) throw new Error('the page was not opened by startWatchedBrowser');
  const isQuiet = async () => {
    const { changes } = seen;
    if (seen.open.size > 0 || !(await rest(page))) return false;
    return seen.open.size === 0 && seen.changes === changes;
  };
  await expect.poll(isQuiet, { interval: 10 }).toBe(true);
}

/** Waits until the page is idle for a short time. False if it navigated away. */
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

/**
 * Removes Chromium's own message about a refused request. It may arrive after the page shows the refusal. Throws if
 * there are other faults.
 */
export async function takeRefusal(faults: string[], status: number) {
  await expect.poll(() => faults).toEqual([expect.stringContaining(`status of ${status}`)]);
  faults.length = 0;
}

/** Builds the studio unless it is up to date. Only the first file of a run checks that. */
export async function buildStudio() {
  const builder = join(import.meta.dirname, '../../client/studio/build/build.ts');
  await folderOfRun('studio', async () => {
    await promisify(execFile)(process.execPath, [builder, '--if-changed']);
  });
}

/** Minified source, half the size of the package's own, because it is sent to each page. */
const axeSource = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

const standards = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'best-practice'];

const colourRules = ['color-contrast', 'link-in-text-block'];

type Looks = Pick<axe.RunOptions, 'runOnly' | 'rules'>;

/** Rules that can fail if only colors changed since the last check. */
export const byColour: Looks = { runOnly: colourRules };

/** All other rules, which take a third of the time of all. */
export const butColour: Looks = {
  rules: Object.fromEntries(colourRules.map((rule) => [rule, { enabled: false }])),
};

/** Finds barriers for people who cannot see or use a mouse, with axe. Each has its rule and element. */
export async function findViolations(page: Page, looks: Looks = {}): Promise<string[]> {
  if (!(await page.evaluate(() => 'axe' in globalThis))) await page.evaluate(axeSource);
  const options: axe.RunOptions = {
    runOnly: standards,
    ...looks,
    resultTypes: ['violations'],
    // Frames of these pages run no scripts, so axe cannot examine them.
    iframes: false,
  };
  return page.evaluate(async (options) => {
    // The line above defines this variable.
    const { run } = Reflect.get(globalThis, 'axe') as Pick<typeof axe, 'run'>;
    const { violations } = await run('html', options);
    return violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html.slice(0, 300)}`));
  }, options);
}
