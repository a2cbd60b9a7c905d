import type { Browser as Launched, Page } from 'playwright-core';
import { launchChromium } from '../support/browser.ts';
import type { Browser, Driver, Found } from './driver.ts';

const height = 900;

export const chromium: Browser = {
  name: 'Chromium',
  missing: null,
  lacks: [],
  over: 'http',
  async start({ scheme, width, zoom = 1, hasForcedColors = false }) {
    // Keep the back/forward cache, as browsers do by default.
    const launched = await launchChromium([], { keepsPages: true });
    const context = await launched.newContext({
      colorScheme: scheme,
      viewport: { width: width / zoom, height: height / zoom },
      deviceScaleFactor: zoom,
      ...(hasForcedColors && { forcedColors: 'active' as const }),
    });
    return driverOf(launched, await context.newPage());
  },
};

function driverOf(launched: Launched, page: Page): Driver {
  page.setDefaultTimeout(20_000);
  return {
    go: async (url) => void (await page.goto(url)),
    // A page from the back/forward cache causes no navigation to wait for.
    back: async () => void (await page.goBack({ waitUntil: 'commit', timeout: 3_000 }).catch(() => null)),
    run: (inPage, ...given) => page.evaluate(`(${inPage})(...${JSON.stringify(given)})`),
    async find(inPage, ...given) {
      const handle = await page.evaluateHandle<Element, void>(
        `(${inPage})(...${JSON.stringify(given)})`,
        undefined,
      );
      const element = handle.asElement();
      if (!element) return null;
      return {
        click: () => element.click(),
        fill: (text) => element.fill(text),
        chooseFile: (path) => element.setInputFiles(path),
      } satisfies Found;
    },
    type: (text) => page.keyboard.type(text),
    press: (key, held) => page.keyboard.press(held ? `${held}+${key}` : key),
    picture: () => page.screenshot(),
    [Symbol.asyncDispose]: () => launched.close(),
  };
}
