import { expect, test } from 'vitest';
import { startCountingReceiver } from '../support/counting-receiver.ts';
import { eventually } from '../support/eventually.ts';
import { failure } from '../support/http.ts';
import { anyTimestamp } from '../support/matchers.ts';
import { startReceiver } from '../support/tls-receiver.ts';
import { settledLog, startWebhookSite, type WebhookSite } from '../support/webhook-site.ts';
import { startTestWorker } from '../support/worker.ts';

// Attempts of a delivery that the owner requests.

const day = Array.from({ length: 5 }, () => 86_400);

/** Waits until the newest delivery in the log has this status, and returns it. */
const newest = (site: WebhookSite, id: string, status: string) =>
  eventually(async () => {
    const [first] = await site.log(id);
    return first?.status === status && first;
  });

/** Waits until a number of a delivery's attempts have ended, and returns it. */
const attempted = (site: WebhookSite, id: string, deliveryId: string, attempts: number) =>
  eventually(async () => {
    const delivery = await site.delivery(id, deliveryId);
    return delivery.attempts.length === attempts && delivery;
  });

test('a redelivery of a failed delivery arrives under the same ID with the same bytes, and its log contains every attempt', async () => {
  let status = 503;
  await using receiver = await startReceiver({ answer: (_, response) => response.writeHead(status).end() });
  await using site = await startWebhookSite(receiver.ca);
  await using _worker = await startTestWorker(site, { retrySeconds: [] });
  const { id } = await site.subscribe(receiver.url);
  await site.write('Hé "llo" %s \u2028');
  const failed = await newest(site, id, 'failed');
  status = 202;
  expect(await site.redeliver(id, failed.id)).toEqual({
    status: 200,
    body: { id: failed.id, status: 'pending' },
  });
  const delivered = await newest(site, id, 'delivered');
  expect(delivered).toMatchObject({ id: failed.id, attempt_count: 2, last_status_code: 202, error: null });
  const [first, second] = receiver.requests;
  expect(second?.headers['x-service-delivery']).toBe(failed.id);
  expect(second?.headers['webhook-id']).toBe(failed.id);
  expect(second?.body).toEqual(first?.body);
  const ended = { started: anyTimestamp, duration_ms: expect.any(Number) };
  expect(await site.delivery(id, failed.id)).toEqual({
    ...delivered,
    body: first?.body.toString(),
    attempts: [
      { ...ended, attempt: 1, status_code: 503, error: 'http_status', manual: false },
      { ...ended, attempt: 2, status_code: 202, error: null, manual: true },
    ],
  });
});

test('a redelivery of a delivered one leaves it delivered, whatever its outcome', async () => {
  await using receiver = await startCountingReceiver();
  await using site = await startWebhookSite(receiver.ca);
  await using _worker = await startTestWorker(site, { retrySeconds: day });
  const { id } = await site.subscribe(receiver.url);
  await site.write('Hello');
  const [delivered] = await settledLog(site, id);
  receiver.answerWith(() => 500);
  const deliveryId = delivered?.id ?? '';
  await site.redeliver(id, deliveryId);
  expect(await attempted(site, id, deliveryId, 2)).toMatchObject({
    status: 'delivered',
    attempt_count: 2,
    last_status_code: 500,
    error: 'http_status',
    next_attempt_at: null,
  });
  expect(receiver.arrivals.map(({ status }) => status)).toEqual([200, 500]);
});

test('a cancelled delivery is redelivered to an inactive subscription, which stays inactive', async () => {
  await using receiver = await startCountingReceiver();
  receiver.answerWith(() => 500);
  await using site = await startWebhookSite(receiver.ca);
  await using _worker = await startTestWorker(site, { retrySeconds: day });
  const { id } = await site.subscribe(receiver.url);
  await site.write('Hello');
  const { id: deliveryId } = await newest(site, id, 'retrying');
  await site.change(id, { active: false });
  await newest(site, id, 'cancelled');
  await site.redeliver(id, deliveryId);
  expect(await newest(site, id, 'failed')).toMatchObject({ attempt_count: 2, error: 'http_status' });
  receiver.answerWith(() => 200);
  await site.redeliver(id, deliveryId);
  expect(await newest(site, id, 'delivered')).toMatchObject({ id: deliveryId, attempt_count: 3 });
  expect(await site.subscription(id)).toMatchObject({ active: false, consecutive_failures: 1 });
});

test('only one attempt is in flight at a time (attempt_running), and concurrent requests for one result in one', async () => {
  await using receiver = await startCountingReceiver();
  receiver.answerWith(() => null);
  await using site = await startWebhookSite(receiver.ca);
  const { id } = await site.subscribe(receiver.url);
  const running = failure(409, 'attempt_running');
  await using _worker = await startTestWorker(site, { retrySeconds: [] });
  const [first] = await Promise.all([receiver.nextArrival(), site.write('Hello')]);
  expect(await site.redeliver(id, first.delivery)).toEqual(running);
  receiver.hangUp();
  await newest(site, id, 'failed');
  const requested = await Promise.all(Array.from({ length: 5 }, () => site.redeliver(id, first.delivery)));
  expect(requested.map(({ status }) => status)).toContain(200);
  await eventually(() => receiver.arrivals.length === 2);
  expect(await site.redeliver(id, first.delivery)).toEqual(running);
  receiver.letGo();
  expect(await newest(site, id, 'delivered')).toMatchObject({ attempt_count: 2 });
});

test('requested attempts do not count toward the ten failures', async () => {
  await using receiver = await startCountingReceiver();
  receiver.answerWith(() => 500);
  await using site = await startWebhookSite(receiver.ca);
  await using _worker = await startTestWorker(site, { retrySeconds: day });
  const { id } = await site.subscribe(receiver.url);
  for (let n = 0; n < 9; n++) await site.write(`event ${n}`);
  const nine = { active: true, consecutive_failures: 9 };
  await eventually(async () => (await site.log(id)).filter(({ error }) => error).length === 9);
  expect(await site.subscription(id)).toMatchObject(nine);
  const [one, other] = await site.log(id);
  await site.redeliver(id, one?.id ?? '');
  await attempted(site, id, one?.id ?? '', 2);
  expect(await site.subscription(id)).toMatchObject(nine);
  receiver.answerWith(() => 200);
  await site.redeliver(id, other?.id ?? '');
  await attempted(site, id, other?.id ?? '', 2);
  expect(await site.subscription(id)).toMatchObject(nine);
  receiver.answerWith(() => 500);
  await site.write('the tenth');
  await eventually(async () => (await site.subscription(id)) && receiver.arrivals.length === 12);
  expect(await newest(site, id, 'cancelled')).toMatchObject({ attempt_count: 1 });
  expect(await site.subscription(id)).toMatchObject({ active: false, consecutive_failures: 10 });
});

test('a failed redelivery neither uses one of the six scheduled attempts nor changes their schedule', async () => {
  await using receiver = await startCountingReceiver();
  receiver.answerWith(() => 500);
  await using site = await startWebhookSite(receiver.ca);
  await using _worker = await startTestWorker(site, { retrySeconds: [3_600, 0.1, 0.1, 0.1, 0.1] });
  const { id } = await site.subscribe(receiver.url);
  await site.write('Hello');
  const before = await newest(site, id, 'retrying');
  await site.redeliver(id, before.id);
  const after = await attempted(site, id, before.id, 2);
  expect(after).toMatchObject({ status: 'retrying', next_attempt_at: before.next_attempt_at });
  await site.deps.database.em.execute('update webhook_deliveries set due_at = now()');
  const failed = await newest(site, id, 'failed');
  expect(failed).toMatchObject({ id: before.id, attempt_count: 7 });
  const { attempts } = await site.delivery(id, before.id);
  expect(attempts.map(({ attempt, manual }) => [attempt, manual])).toEqual([
    [1, false],
    [2, true],
    ...[3, 4, 5, 6, 7].map((attempt) => [attempt, false]),
  ]);
  expect(receiver.arrivals).toHaveLength(7);
});

test('a successful redelivery ends the scheduled attempts', async () => {
  await using receiver = await startCountingReceiver();
  receiver.answerWith(() => 500);
  await using site = await startWebhookSite(receiver.ca);
  await using _worker = await startTestWorker(site, { retrySeconds: day });
  const { id } = await site.subscribe(receiver.url);
  await site.write('Hello');
  const { id: deliveryId } = await newest(site, id, 'retrying');
  receiver.answerWith(() => 200);
  await site.redeliver(id, deliveryId);
  expect(await newest(site, id, 'delivered')).toMatchObject({ attempt_count: 2, next_attempt_at: null });
});

test('an owner who deactivates a subscription cancels requested attempts; a deactivation by ten failures does not', async () => {
  await using receiver = await startCountingReceiver();
  await using site = await startWebhookSite(receiver.ca);
  const { id } = await site.subscribe(receiver.url);
  {
    await using _worker = await startTestWorker(site);
    await site.write('Hello');
    await settledLog(site, id);
  }
  const [{ id: deliveryId } = { id: '' }] = await site.log(id);
  await site.redeliver(id, deliveryId);
  await site.change(id, { active: false });
  expect(await site.delivery(id, deliveryId)).toMatchObject({ status: 'delivered', next_attempt_at: null });
  await site.change(id, { active: true });
  receiver.answerWith(({ title }) => (title === 'Hello' ? 200 : 500));
  for (let n = 0; n < 10; n++) await site.write(`event ${n}`);
  await site.redeliver(id, deliveryId);
  await using _worker = await startTestWorker(site, { retrySeconds: day });
  await eventually(async () => {
    const { attempts } = await site.delivery(id, deliveryId);
    const subscription = await site.subscription(id);
    return attempts.length === 2 && subscription && 'active' in subscription && !subscription.active;
  });
  expect(receiver.arrivals.filter(({ title }) => title === 'Hello')).toHaveLength(2);
});

test('a delivery is found only under its own subscription, and never by the owner of another site', async () => {
  await using receiver = await startCountingReceiver();
  await using site = await startWebhookSite(receiver.ca);
  await using _worker = await startTestWorker(site);
  const { id } = await site.subscribe(receiver.url);
  const { id: other } = await site.subscribe(receiver.url, ['content.deleted']);
  await site.write('Hello');
  const [delivery] = await settledLog(site, id);
  const stranger = await site.seed.ownerToken(await site.seed.site());
  const at = (subscription: string, deliveryId: string) =>
    `/api/admin/webhooks/${subscription}/deliveries/${deliveryId}`;
  for (const path of [at(other, delivery?.id ?? ''), at(id, 'mb3k9x2a7f0q1zd'), at(id, 'x')]) {
    expect(await site.admin('GET', path.replace('/api/admin/webhooks', ''))).toEqual(
      failure(404, 'not_found'),
    );
    const again = await site.admin('POST', `${path.replace('/api/admin/webhooks', '')}/redeliver`);
    expect(again).toEqual(failure(404, 'not_found'));
  }
  const foreign = at(id, delivery?.id ?? '');
  expect(await site.get(foreign, { key: stranger })).toEqual(failure(404, 'not_found'));
  expect(await site.post(`${foreign}/redeliver`, { key: stranger })).toEqual(failure(404, 'not_found'));
  expect(receiver.arrivals).toHaveLength(1);
});

test('a test delivery shows its body and its attempt, and can be redelivered', async () => {
  await using receiver = await startReceiver();
  await using site = await startWebhookSite(receiver.ca);
  const { id } = await site.subscribe(receiver.url);
  await site.admin('POST', `/${id}/test`);
  const [{ id: deliveryId } = { id: '' }] = await site.log(id);
  const { body, attempts } = await site.delivery(id, deliveryId);
  expect(body).toBe(receiver.requests[0]?.body.toString());
  expect(attempts).toMatchObject([{ attempt: 1, status_code: 200, error: null, manual: true }]);
  await using _worker = await startTestWorker(site);
  await site.redeliver(id, deliveryId);
  await attempted(site, id, deliveryId, 2);
  expect(receiver.requests.map(({ body }) => body.toString())).toEqual([body, body]);
});

test('a delivery whose event is older than seven days shows no body and is not sent again: event_expired', async () => {
  await using receiver = await startCountingReceiver();
  await using site = await startWebhookSite(receiver.ca);
  await using _worker = await startTestWorker(site);
  const { id } = await site.subscribe(receiver.url);
  await site.write('Hello');
  const [delivery] = await settledLog(site, id);
  await site.deps.database.em.execute(`update events set occurred_at = occurred_at - interval '7 days'`);
  expect(await site.delivery(id, delivery?.id ?? '')).toMatchObject({
    status: 'delivered',
    body: null,
    attempts: [{ attempt: 1 }],
  });
  expect(await site.redeliver(id, delivery?.id ?? '')).toEqual(failure(409, 'event_expired'));
});
