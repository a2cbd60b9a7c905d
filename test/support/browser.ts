import sparticuz from '@sparticuz/chromium';
import { type BrowserContextOptions, chromium } from 'playwright-core';

/** Unpacks Chromium, unless it has been: where several do so at once, one may start what another is still writing. */
export const unpackChromium = async () => process.env.CHROMIUM ?? (await sparticuz.executablePath());

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
    args: ['--no-sandbox', '--font-render-hinting=none', ...switches],
    ...(keepsPages && { ignoreDefaultArgs: ['--disable-back-forward-cache'] }),
  });
}

/** A Chromium without scripts on the pages it shows. Dispose of it with `await using`. */
export async function startBrowser() {
  const browser = await launchChromium();
  return {
    open: async (options: BrowserContextOptions = {}) =>
      (await browser.newContext({ javaScriptEnabled: false, ...options })).newPage(),
    [Symbol.asyncDispose]: () => browser.close(),
  };
}
