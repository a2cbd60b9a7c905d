import { createHmac } from 'node:crypto';
import { Webhook } from 'standardwebhooks';
import { Webhook as SvixWebhook } from 'svix';
import { expect, test } from 'vitest';
import { eventually } from '../support/eventually.ts';
import { failure } from '../support/http.ts';
import { startReceiver } from '../support/tls-receiver.ts';
import { startWebhookSite, type WebhookSite } from '../support/webhook-site.ts';
import { startTestWorker } from '../support/worker.ts';

// Rotation of a webhook secret, after which the previous one also signs for a day.

type Receiver = Awaited<ReturnType<typeof startReceiver>>;
type Received = Receiver['requests'][number];

/** Returns which of the secrets verify a delivery, by unmodified libraries. */
function signedBy({ headers, body }: Received, secrets: readonly string[]) {
  const own = (secret: string) => `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`;
  return {
    own: secrets.findIndex((secret) => headers['x-service-signature'] === own(secret)),
    standard: secrets.map((secret) => verifies(() => new Webhook(secret).verify(body, plain(headers)))),
    svix: secrets.map((secret) => verifies(() => new SvixWebhook(secret).verify(body, plain(headers)))),
  };
}

const plain = (headers: Received['headers']) =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)]));

function verifies(check: () => unknown): boolean {
  try {
    check();
    return true;
  } catch {
    return false;
  }
}

/** Triggers an event, and returns its delivery by the worker. */
async function nextDelivery(site: WebhookSite, receiver: Receiver): Promise<Received | undefined> {
  const already = receiver.requests.length;
  await site.write('Hello');
  await eventually(() => receiver.requests.length > already);
  return receiver.requests[already];
}

test('after a rotation both secrets sign for 24 hours, only the new one the own signature; a second rotation ends the oldest', async () => {
  await using receiver = await startReceiver();
  await using site = await startWebhookSite(receiver.ca, { now: true });
  await using _worker = await startTestWorker(site);
  const { id, secret: first } = await site.subscribe(receiver.url);
  const { secret: second, previous_secret_expires_at } = await site.rotate(id);
  expect(second).toMatch(/^whsec_[0-9A-Za-z+/]{43}=$/);
  expect(second).not.toBe(first);
  expect(new Date(previous_secret_expires_at).getTime()).toBe(site.clock.now().getTime() + 86_400_000);
  const overlapping = await nextDelivery(site, receiver);
  expect(overlapping?.headers['webhook-signature']).toMatch(/^v1,\S{44} v1,\S{44}$/);
  const both = { own: 1, standard: [true, true], svix: [true, true] };
  expect(overlapping && signedBy(overlapping, [first, second])).toEqual(both);
  const { secret: third } = await site.rotate(id);
  const later = await nextDelivery(site, receiver);
  expect(later && signedBy(later, [first, second, third])).toEqual({
    own: 2,
    standard: [false, true, true],
    svix: [false, true, true],
  });
  await site.deps.database.em.execute(
    `update webhook_subscriptions set previous_secret_expires_at = previous_secret_expires_at - interval '1 day'`,
  );
  const last = await nextDelivery(site, receiver);
  expect(last?.headers['webhook-signature']).toMatch(/^v1,\S{44}$/);
  expect(last && signedBy(last, [second, third])).toEqual({
    own: 1,
    standard: [false, true],
    svix: [false, true],
  });
});

test('a test delivery is signed by both secrets until the previous one expires', async () => {
  await using receiver = await startReceiver();
  await using site = await startWebhookSite(receiver.ca, { now: true });
  const { id } = await site.subscribe(receiver.url);
  await site.rotate(id);
  const signatures = async () => {
    await site.admin('POST', `/${id}/test`);
    return String(receiver.requests.at(-1)?.headers['webhook-signature']).split(' ').length;
  };
  site.clock.advance({ hours: 23, minutes: 59, seconds: 59, ms: 999 });
  expect(await signatures()).toBe(2);
  site.clock.advance({ ms: 1 });
  expect(await signatures()).toBe(1);
});

test('a given secret without the whsec_ format continues to sign beside the generated one', async () => {
  await using receiver = await startReceiver();
  await using site = await startWebhookSite(receiver.ca, { now: true });
  const given = 'a-secret-of-mine-1';
  const { id } = await site.subscribe(receiver.url, ['content.created'], { secret: given });
  const { secret } = await site.rotate(id);
  await site.admin('POST', `/${id}/test`);
  const [request] = receiver.requests;
  expect(request && signedBy(request, [secret])).toEqual({ own: 0, standard: [true], svix: [true] });
  const byGiven = new Webhook(Buffer.from(given, 'utf8'), { format: 'raw' });
  expect(request && verifies(() => byGiven.verify(request.body, plain(request.headers)))).toBe(true);
});

test('while secrets are rotated under load, every delivery, retry, redelivery and replay verifies with a secret of its time', async () => {
  let seen = 0;
  const known: string[] = [];
  const strangers: unknown[] = [];
  await using receiver = await startReceiver({
    answer(_request, response) {
      const request = receiver.requests.at(-1);
      const secrets = known.slice(-4);
      const fits = request && signedBy(request, secrets);
      if (!fits?.standard.includes(true) || !fits.svix.includes(true)) strangers.push(fits);
      seen += 1;
      response.writeHead(seen % 4 === 0 ? 500 : 200).end();
    },
  });
  await using site = await startWebhookSite(receiver.ca, { now: true });
  const { id, secret } = await site.subscribe(receiver.url);
  known.push(secret);
  await using _worker = await startTestWorker(site, { retrySeconds: [0.05, 0.05, 0.05, 0.05, 0.05] });
  for (let n = 0; n < 12; n++) {
    await Promise.all([site.write(`event ${n}`), site.write(`event ${n} too`)]);
    known.push((await site.rotate(id)).secret);
    if (n % 4 === 3) await site.replay(id, { since: '2001-01-01T00:00:00Z', status: 'all' });
  }
  await eventually(async () => {
    const log = await site.log(id);
    return (
      log.length === 24 &&
      log.every(({ status, next_attempt_at }) => status === 'delivered' && !next_attempt_at)
    );
  });
  expect(strangers).toEqual([]);
});

test('rotation returns not_found for an unknown subscription, and for one of another site, whose secret stays', async () => {
  await using receiver = await startReceiver();
  await using site = await startWebhookSite(receiver.ca, { now: true });
  const { id, secret } = await site.subscribe(receiver.url);
  const key = await site.seed.ownerToken(await site.seed.site());
  for (const unknown of [id, 'mb3k9x2a7f0q1zd', 'x'])
    expect(await site.post(`/api/admin/webhooks/${unknown}/rotate-secret`, { key })).toEqual(
      failure(404, 'not_found'),
    );
  await site.admin('POST', `/${id}/test`);
  const [request] = receiver.requests;
  expect(request && signedBy(request, [secret])).toEqual({ own: 0, standard: [true], svix: [true] });
});
