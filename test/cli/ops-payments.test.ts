import { afterAll, beforeAll, expect, test } from 'vitest';
import { runOps } from '../support/backups.ts';
import { beginCheckout } from '../support/sales-history.ts';
import { startConnectedSite } from '../support/selling-site.ts';

// `ops payments check`, against the stand-in.

const site = await startConnectedSite();
afterAll(() => site[Symbol.asyncDispose]());

const check = (STRIPE_TEST_KEY: string) =>
  runOps(
    ['payments', 'check'],
    { dataDir: '' },
    { STRIPE_TEST_KEY, STRIPE_API_BASE: site.stripe.url.origin },
  );

const lines = (output: string) => output.split('\n').filter((line) => / {2}(ok|none|differs)$/.test(line));

beforeAll(async () => {
  const { stripe } = site;
  const [post, month] = [await site.sellPost(), await site.sellMembership()];
  for (const { id } of [post, month]) await stripe.pay(await beginCheckout(site, id, 'grace@example.com'));
  await site.client.webhookEndpoints.create({
    ...{ url: 'https://example.com/hooks', enabled_events: ['invoice.paid'] },
  });
});

test('objects with all fields that the service reads pass, and kinds without an object are listed as none', async () => {
  const { calls } = site.stripe;
  const before = calls.length;
  const { exitCode, output } = await check(site.account.key);
  expect(lines(output).map((line) => line.split(/ {2,}/))).toEqual([
    ['checkout session', 'ok'],
    ['account', 'ok'],
    ['event', 'ok'],
    ['subscription', 'ok'],
    ['payment intent', 'ok'],
    ['charge', 'ok'],
    ['refund', 'none'],
    ['dispute', 'none'],
    ['invoice', 'ok'],
    ['invoice payment', 'ok'],
    ['portal configuration', 'ok'],
    ['webhook endpoint', 'ok'],
  ]);
  expect([exitCode, output.includes(site.account.key)]).toEqual([0, false]);
  const writes = calls.slice(before).filter(({ method }) => method !== 'GET');
  expect(writes.map(({ path }) => path.replace(/cs_\w+/, 'id'))).toEqual([
    '/v1/checkout/sessions',
    '/v1/checkout/sessions/id/expire',
  ]);
});

test('live keys and other texts are refused without a call, and are not printed', async () => {
  const calls = site.stripe.calls.length;
  for (const key of ['rk_live_51QxExample', 'sk_live_51QxExample', 'whsec_51QxExample', '']) {
    const { exitCode, output } = await check(key);
    expect([exitCode, output]).toEqual([1, expect.stringContaining('STRIPE_TEST_KEY')]);
    expect(output).not.toContain('51QxExample');
  }
  expect(site.stripe.calls.length).toBe(calls);
});

test('a key that Stripe refuses fails every check, and no part of it is printed', async () => {
  const { exitCode, output } = await check('rk_test_51QxUnknown');
  expect([exitCode, output]).toEqual([1, expect.stringContaining('12 of 12 checks failed.')]);
  expect(output).not.toMatch(/rk_test|Unknown/);
});

test('a field that is missing fails with the object and the name of the field', async () => {
  site.stripe.omit('current_period_end');
  const { exitCode, output } = await check(site.account.key);
  expect(output).toMatch(
    /^subscription +differs\n {2}items\.data\.0\.current_period_end: Invalid input: expected/m,
  );
  expect(output).toContain('1 of 12 checks failed.');
  expect(exitCode).toBe(1);
});
