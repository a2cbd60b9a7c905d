import { createHash } from 'node:crypto';
import { afterAll, expect, test } from 'vitest';
import { startApp } from '../support/app.ts';
import { startVisitors } from '../support/browser.ts';

const app = await startApp();
afterAll(() => app[Symbol.asyncDispose]());

test('the API reference loads the document of this server, and names no other server', async () => {
  const page = await (await fetch(`${app.baseUrl}/docs`)).text();
  expect(page).toContain('"url": "/openapi.json"');
  expect(page).toContain('"telemetry": false');
  expect(page).toContain('"withDefaultFonts": false');
  expect(page).not.toMatch(/https?:|\/\/\w/);
  expect([...page.matchAll(/(?:src|href)="([^"]*)"/g)].map(([, address]) => address)).toEqual([
    'data:,',
    '/docs/reference.js',
  ]);
});

test('the page may run only its own scripts, and connect only to its own server', async () => {
  const response = await fetch(`${app.baseUrl}/docs`);
  const [, script = ''] =
    /<script type="text\/javascript">(.*?)<\/script>/s.exec(await response.text()) ?? [];
  const hash = createHash('sha256').update(script).digest('base64');
  expect(response.headers.get('content-security-policy')?.split('; ')).toEqual([
    "default-src 'none'",
    `script-src 'self' 'sha256-${hash}'`,
    "style-src 'self' 'unsafe-inline'",
    "img-src 'self' data:",
    "font-src 'self' data:",
    "connect-src 'self' http://localhost:3000",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ]);
});

test('the script is compressed if the client accepts that, and is 304 if it has not changed', async () => {
  const request = (headers: Record<string, string>) => fetch(`${app.baseUrl}/docs/reference.js`, { headers });
  const zipped = await request({ 'accept-encoding': 'gzip' });
  const plain = await request({ 'accept-encoding': 'identity' });
  expect(zipped.headers.get('content-encoding')).toBe('gzip');
  expect(plain.headers.get('content-encoding')).toBeNull();
  expect(zipped.headers.get('content-type')).toBe('text/javascript; charset=utf-8');
  expect(await zipped.text()).toBe(await plain.text());
  const again = await request({ 'if-none-match': zipped.headers.get('etag') ?? '' });
  expect([again.status, await again.text()]).toEqual([304, '']);
});

test('a trailing slash redirects to the page', async () => {
  const { status, headers } = await fetch(`${app.baseUrl}/docs/`, { redirect: 'manual' });
  expect([status, headers.get('location')]).toEqual([308, '/docs']);
});

test('a sample request of the API reference contains the body and no optional parameter', async () => {
  await using visitors = await startVisitors();
  const page = await (await visitors.newVisitor({})).newPage();
  const sample = page.locator('pre', { hasText: '--request POST' }).first();

  await page.goto(`${app.baseUrl}/docs#tag/posts/POST/api/v1/posts`);

  const text = await sample.textContent();
  const [command = '', body = ''] = text?.split('--data ') ?? [];
  expect(command.split('\\\n').map((line) => line.trim())).toEqual([
    'curl http://localhost:3000/api/v1/posts',
    '--request POST',
    "--header 'Content-Type: application/json'",
    "--header 'Authorization: Bearer YOUR_SECRET_TOKEN'",
    '',
  ]);
  expect(body).toContain('"title": "Type-safe APIs without a build step"');
});
