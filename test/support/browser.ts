import sparticuz from '@sparticuz/chromium';
import { type BrowserContext, type BrowserContextOptions, chromium } from 'playwright-core';
import { lazily } from '../../shared/runtime/single-flight.ts';

/** Unpacks Chromium, unless it has been: where several do so at once, one may start what another is still writing. */
export const unpackChromium = async () => process.env.CHROMIUM ?? (await sparticuz.executablePath());

/** Pages live for seconds here: scripts end before what compiling them further costs is saved. */
const asOnce = '--js-flags=--no-opt --no-maglev';

/**
 * Chromium without a window, with further switches where they are given; one that `keepsPages` brings them back whole by
 * Back, as people's do. `CHROMIUM` names another one, on systems that the
 * one that comes as a package does not run on. Close it.
 */
export async function launchChromium(switches: readonly string[] = [], { keepsPages = false } = {}) {
  const executablePath = await unpackChromium();
  // Its packaged defaults put all pages into one process, which ends with the first of them, and switch off what is
  // tested here, such as the same-origin policy.
  return chromium.launch({
    executablePath,
    args: ['--no-sandbox', '--font-render-hinting=none', asOnce, ...switches],
    ...(keepsPages && { ignoreDefaultArgs: ['--disable-back-forward-cache'] }),
  });
}

/** The one of this process, which ends with it: starting one takes as long as many a test. */
const sharedChromium = lazily(() => launchChromium());

/** Visitors of a Chromium, which has others as well unless it has switches of its own. They leave when it is disposed of. */
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

/** A Chromium without scripts on the pages it shows. Dispose of it with `await using`. */
export async function startBrowser() {
  const { newVisitor, ...browser } = await startVisitors();
  return {
    ...browser,
    open: async (options: BrowserContextOptions = {}) =>
      (await newVisitor({ javaScriptEnabled: false, ...options })).newPage(),
  };
}
