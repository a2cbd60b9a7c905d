import { createServer } from 'node:http';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type * as Client from '../../client/sdk/index.ts';
import { startApp } from '../support/app.ts';
import { launchChromium } from '../support/browser.ts';
import { installClient } from '../support/installed-client.ts';
import { startProxy } from '../support/tcp-proxy.ts';
import { listen } from '../support/tls-receiver.ts';

let script: string;
let browser: Awaited<ReturnType<typeof launchChromium>>;
beforeAll(async () => {
  await using client = await installClient();
  script = await client.bundle("export * from 'creator-content-client';", 'iife');
  browser = await launchChromium();
});
afterAll(() => browser.close());

/** The package, as the page's script makes it available. */
declare const bundled: typeof Client;

/** Opens a page of another origin than the service's, with the package loaded. */
async function openPage() {
  const pages = createServer((_, response) => {
    response.setHeader('content-type', 'text/html').end(`<!doctype html><script>${script}</script>`);
  });
  const port = await listen(pages, '127.0.0.1');
  const page = await browser.newPage();
  await page.goto(`http://127.0.0.1:${port}/`);
  return Object.assign(page, {
    async [Symbol.asyncDispose]() {
      await page.close();
      pages.closeAllConnections();
      await new Promise((closed) => pages.close(closed));
    },
  });
}

test('in a browser, createClient throws for an API key unless dangerouslyAllowBrowser is set', async () => {
  await using page = await openPage();
  const made = await page.evaluate(() => {
    const baseUrl = 'https://ada.example.com';
    const outcomeOf = (options: object) => {
      try {
        bundled.createClient({ baseUrl, ...options });
        return 'made';
      } catch (error) {
        return `${error}`;
      }
    };
    return [
      outcomeOf({ apiKey: 'svc_live_x' }),
      outcomeOf({ apiKey: 'svc_live_x', dangerouslyAllowBrowser: true }),
      outcomeOf({ ownerToken: 'svc_owner_x' }),
      outcomeOf({ memberToken: 'svc_member_x' }),
      outcomeOf({}),
    ];
  });
  expect(made).toEqual([expect.stringMatching(/^TypeError: an API key/), 'made', 'made', 'made', 'made']);
});

test('in a web worker, createClient throws for an API key', async () => {
  await using page = await openPage();
  const said = await page.evaluate((text) => {
    const use = `try { bundled.createClient({ baseUrl: 'https://ada.example.com', apiKey: 'svc_live_x' }) }
      catch (error) { postMessage(String(error)) }`;
    const worker = new Worker(URL.createObjectURL(new Blob([text, use])));
    return new Promise<unknown>((resolve) => {
      worker.onmessage = ({ data }) => resolve(data);
    });
  }, script);
  expect(said).toMatch(/^TypeError: an API key/);
});

test('from another origin, a page can write, and read data, error codes and the quota', async () => {
  await using app = await startApp({ limits: { normal: { perMinute: 60, burst: 2 } } });
  await using page = await openPage();
  const given = { baseUrl: app.baseUrl, apiKey: await app.seed.key() };
  const seen = await page.evaluate(async (options) => {
    const client = bundled.createClient({ ...options, retries: 0, dangerouslyAllowBrowser: true });
    const { created } = await client.v1.skills.create.mutate({ name: 'SQL' });
    const { data } = await client.v1.skills.list.query();
    const refused = await client.v1.skills.list.query().catch((error: unknown) => error);
    const code = bundled.isApiError(refused) && refused.data.code;
    return [created instanceof Date, data.map(({ name }) => name), code, client.quota?.remaining];
  }, given);
  expect(seen).toEqual([true, ['SQL'], 'rate_limited', 0]);
});

test('a call without a network is sent once and fails; a call after the network is back succeeds', async () => {
  await using app = await startApp();
  await using page = await openPage();
  const given = { baseUrl: app.baseUrl, apiKey: await app.seed.key() };
  const call = () =>
    page.evaluate(async (options) => {
      let sent = 0;
      const counted: typeof fetch = (...request) => {
        sent++;
        return fetch(...request);
      };
      const client = bundled.createClient({ ...options, fetch: counted, dangerouslyAllowBrowser: true });
      const outcome = await client.v1.skills.list.query().catch(() => 'failed');
      return { outcome, sent };
    }, given);
  await page.context().setOffline(true);
  expect(await call()).toEqual({ outcome: 'failed', sent: 1 });
  await page.context().setOffline(false);
  expect(await call()).toEqual({ outcome: { data: [] }, sent: 1 });
});

test('a follower misses no event while the network is unavailable', async () => {
  await using app = await startApp();
  await using proxy = await startProxy({ port: Number(new URL(app.baseUrl).port) });
  await using page = await openPage();
  const key = await app.seed.key();
  const given = { baseUrl: `http://127.0.0.1:${proxy.port}`, apiKey: key };
  const states: string[] = [];
  await page.exposeFunction('seen', (state: string) => states.push(state));
  const followed = page.evaluate(async (options) => {
    const seen = Reflect.get(globalThis, 'seen') as (state: string) => void;
    const client = bundled.createClient({ ...options, dangerouslyAllowBrowser: true });
    const titles: unknown[] = [];
    await new Promise<void>((resolve, reject) => {
      client.v1.events.follow.subscribe(
        { events: ['content.created'] },
        {
          onConnectionStateChange: ({ state }) => seen(state),
          onError: reject,
          onData({ data }) {
            titles.push(Reflect.get(data.data, 'id'));
            if (titles.length === 2) resolve();
          },
        },
      );
    });
    return titles;
  }, given);
  const add = async (title: string) =>
    (await app.post('/api/v1/posts', { key, body: { title } })).body as { id: string };
  await expect.poll(() => states.at(-1)).toBe('pending');
  const first = await add('With a network');
  await page.context().setOffline(true);
  // Chromium keeps an open connection while it emulates being offline, so the proxy closes it.
  proxy.refuse();
  await expect.poll(() => states.at(-1)).toBe('connecting');
  const second = await add('Without one');
  proxy.accept();
  await page.context().setOffline(false);
  expect(await followed).toEqual([first.id, second.id]);
});
