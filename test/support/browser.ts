import sparticuz from '@sparticuz/chromium';
import { type BrowserContextOptions, chromium } from 'playwright-core';

/**
 * A Chromium without scripts on the pages it shows. `CHROMIUM` names another one, on systems that the one that comes
 * as a package does not run on. Dispose of it with `await using`.
 */
export async function startBrowser() {
  const executablePath = process.env.CHROMIUM ?? (await sparticuz.executablePath());
  // Its packaged defaults put all pages into one process, which ends with the first of them.
  const browser = await chromium.launch({
    executablePath,
    args: ['--no-sandbox', '--font-render-hinting=none'],
  });
  return {
    open: async (options: BrowserContextOptions = {}) =>
      (await browser.newContext({ javaScriptEnabled: false, ...options })).newPage(),
    [Symbol.asyncDispose]: () => browser.close(),
  };
}
