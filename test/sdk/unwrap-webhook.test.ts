import { expect, test } from 'vitest';
import { unwrapWebhook, WebhookError } from '../../client/sdk/index.ts';
import { eventNames } from '../../shared/contract/events.ts';
import { deliveryHeaders } from '../../shared/webhooks/index.ts';
import { fireAllEvents } from '../support/all-events.ts';
import { startApp } from '../support/app.ts';

const secret = 'whsec_0123456789abcdefghijklmnopqrstuvwxyzABCDEFG';
const timestamp = '2026-01-31T09:05:00.123Z';

/** Unwraps a body that is signed like a delivery of the service. */
function unwrapped(delivery: object, key = secret) {
  const body = JSON.stringify(delivery);
  const sent = { event: 'any', deliveryId: 'm1a2b3c4d5e6f7g', body: Buffer.from(body), sentAt: new Date() };
  return unwrapWebhook(body, deliveryHeaders({ ...sent, secret: key }), secret);
}

async function refusalOf(call: Promise<unknown>) {
  const error = await call.then(
    () => 'no refusal',
    (cause: unknown) => cause,
  );
  return error instanceof WebhookError ? [error.refusal, error.message] : error;
}

test('each of the nine events is unwrapped to its data, with its time as a Date', async () => {
  await using app = await startApp();
  const { key } = await fireAllEvents(app);
  for (const event of eventNames) {
    const { body } = await app.get(`/api/v1/webhooks/poll/${event}?limit=1`, { key });
    const [logged] = (body as { events: { timestamp: string; data: object }[] }).events;
    expect(logged, event).toBeDefined();
    const { data, timestamp: at = '' } = logged ?? {};
    expect(await unwrapped({ event, timestamp: at, data })).toEqual({ event, timestamp: new Date(at), data });
  }
});

test('the test event of the studio is unwrapped too', async () => {
  const test = { event: 'test', timestamp, data: { message: 'Hello' } };
  expect(await unwrapped(test)).toEqual({ ...test, timestamp: new Date(timestamp) });
});

const content = { id: 'mb3k9x2a7f0q1zd', collection: 'posts', title: 'Hello', slug: 'hello' };

test.each(['content.archived', 'toString', ''])(
  'a signed event that the package does not know, %j, is refused with unknown_event and its name',
  async (event) => {
    const refusal = ['unknown_event', expect.stringContaining(JSON.stringify(event))];
    expect(await refusalOf(unwrapped({ event, timestamp, data: content }))).toEqual(refusal);
  },
);

test('an event with a missing field or a wrong type is refused with malformed_body and the name of the field', async () => {
  const { slug: _, ...rest } = content;
  const created = { event: 'content.created', timestamp };
  expect(await refusalOf(unwrapped({ ...created, data: rest }))).toEqual([
    'malformed_body',
    'data.slug of content.created is not a string',
  ]);
  expect(await refusalOf(unwrapped({ ...created, data: { ...content, title: null } }))).toEqual([
    'malformed_body',
    'data.title of content.created is not a string',
  ]);
});

test('a field that a newer service adds is kept', async () => {
  const data = { ...content, author: 'Grace' };
  expect(await unwrapped({ event: 'content.created', timestamp, data })).toMatchObject({ data });
});

test('a body signed with another secret is refused before its content is checked', async () => {
  const forged = unwrapped({ event: 'content.archived', timestamp, data: content }, `${secret}x`);
  expect(await refusalOf(forged)).toEqual(['signature_mismatch', expect.any(String)]);
});
