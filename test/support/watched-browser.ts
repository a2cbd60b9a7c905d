import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import axe from 'axe-core';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { launchChromium } from './browser.ts';

/** A browser whose pages are watched while scripts run on them. Dispose of it. */
export async function startWatchedBrowser() {
  const browser = await launchChromium();
  return {
    /** A new visitor, with what their pages did wrong. */
    open: (options?: BrowserContextOptions) => openWatched(browser, options),
    [Symbol.asyncDispose]: () => browser.close(),
  };
}

async function openWatched(browser: Browser, options: BrowserContextOptions = {}) {
  const context = await browser.newContext({ reducedMotion: 'reduce', ...options });
  const page = await context.newPage();
  page.setDefaultTimeout(20_000);
  const faults: string[] = [];
  const hosts = new Set<string>();
  page.on('console', (message) => {
    if (['error', 'warning'].includes(message.type())) faults.push(`console: ${message.text()}`);
  });
  page.on('pageerror', (error) => faults.push(`uncaught: ${error.message}`));
  page.on('request', (request) => {
    const { protocol, host } = new URL(request.url());
    if (protocol.startsWith('http')) hosts.add(host);
  });
  return { context, page, faults, hosts };
}

/** Builds the panel, unless it has been built from the same sources. */
export async function buildStudio() {
  const builder = join(import.meta.dirname, '../../client/studio/build/build.ts');
  await promisify(execFile)(process.execPath, [builder, '--if-changed']);
}

/** What stands in the way of people who can't see or use a mouse, as axe finds it: rule and place. */
export async function findViolations(page: Page): Promise<string[]> {
  await page.evaluate(axe.source);
  return page.evaluate(async () => {
    // Put there by the line above.
    const { run } = Reflect.get(globalThis, 'axe') as Pick<typeof axe, 'run'>;
    const { violations } = await run({
      runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'best-practice'],
    });
    return violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html.slice(0, 300)}`));
  });
}
