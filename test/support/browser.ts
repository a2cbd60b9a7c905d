import sparticuz from '@sparticuz/chromium';
import { type BrowserContext, type BrowserContextOptions, chromium } from 'playwright-core';
import { lazily } from '../../shared/runtime/single-flight.ts';
import { timeLimits } from './time-limits.ts';

/**
 * Unpacks Chromium if needed. If several processes did so concurrently, one could start a file that another is still
 * writing.
 */
export const unpackChromium = async () => process.env.CHROMIUM ?? (await sparticuz.executablePath());

/** V8 switches for pages that live seconds: optimizing their scripts would cost more than it saves. */
const asOnce = '--js-flags=--no-opt --no-maglev';

/**
 * Launches Chromium without a window, with further switches if given. With `keepsPages`, Back restores pages from
 * memory, as in normal browsers. `CHROMIUM` is the path of another Chromium, for systems on which the packaged one does
 * not run. Close it.
 */
export async function launchChromium(switches: readonly string[] = [], { keepsPages = false } = {}) {
  const executablePath = await unpackChromium();
  // Playwright's defaults for the packaged build run all pages in one process, which ends with the first page. They
  // also disable tested features, such as the same-origin policy.
  const browser = await chromium.launch({
    executablePath,
    timeout: timeLimits.wait,
    args: ['--no-sandbox', '--font-render-hinting=none', asOnce, ...switches],
    ...(keepsPages && { ignoreDefaultArgs: ['--disable-back-forward-cache'] }),
  });
  return browser.on('context', (context) => context.setDefaultTimeout(timeLimits.wait));
}

/** Chromium that all tests of a process share, because starting one takes as long as many tests. */
const sharedChromium = lazily(() => launchChromium());

/**
 * Opens contexts of visitors in the shared Chromium, or in a separate one if there are switches. The contexts close
 * when the result is disposed of.
 */
export async function startVisitors(switches: readonly string[] = []) {
  const browser = await (switches.length > 0 ? launchChromium(switches) : sharedChromium());
  const visitors: BrowserContext[] = [];
  return {
    async newVisitor(options: BrowserContextOptions): Promise<BrowserContext> {
      const visitor = await browser.newContext(options);
      visitors.push(visitor);
      return visitor;
    },
    async [Symbol.asyncDispose]() {
      await Promise.all(visitors.map((visitor) => visitor.close()));
      if (switches.length > 0) await browser.close();
    },
  };
}

/** Opens pages without scripts in Chromium. Dispose of it with `await using`. */
export async function startBrowser() {
  const { newVisitor, ...browser } = await startVisitors();
  return {
    ...browser,
    open: async (options: BrowserContextOptions = {}) =>
      (await newVisitor({ javaScriptEnabled: false, ...options })).newPage(),
  };
}
