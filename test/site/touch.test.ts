import { afterAll, expect, test } from 'vitest';
import { startingStyles } from '../../shared/contract/features/theme.ts';
import { keysOf } from '../../shared/contract/names-of.ts';
import { startBrowser } from '../support/browser.ts';
import { demoPages, startDemoSite } from '../support/demo-site.ts';
import { ownerClient } from '../support/rpc.ts';
import { findSmall, phone } from '../support/small-touch-targets.ts';

const app = await startDemoSite();
const browser = await startBrowser();
afterAll(async () => {
  await browser[Symbol.asyncDispose]();
  await app[Symbol.asyncDispose]();
});
const { studio } = ownerClient(app.baseUrl, await app.seed.ownerToken(app.siteId));

test.for(keysOf(startingStyles))('touch targets on a phone in the look %s are large enough', async (look) => {
  await studio.site.update.mutate({ theme: { look, ...startingStyles[look] } });
  const page = await browser.open({ ...phone, javaScriptEnabled: true });
  const found: string[] = [];
  for (const path of demoPages) {
    await page.goto(app.baseUrl + path);
    found.push(...(await findSmall(page)).map((what) => `${path}: ${what}`));
  }
  expect(found).toEqual([]);
});
