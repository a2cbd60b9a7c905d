import { Webhook } from 'standardwebhooks';
import { expect, test } from 'vitest';
import { parseCidr } from '../../shared/webhooks/addresses.ts';
import { startApp } from '../support/app.ts';
import { eventually } from '../support/eventually.ts';
import { startReceiver } from '../support/tls-receiver.ts';
import { startTestWorker } from '../support/worker.ts';

test('a created post reaches its subscriber, signed over the very bytes that are sent', async () => {
  await using receiver = await startReceiver();
  await using app = await startApp({ webhooks: { ca: receiver.ca, allowCidrs: [parseCidr('127.0.0.0/8')] } });
  await using _worker = await startTestWorker(app);
  const token = await app.seed.ownerToken();
  const subscription = await app.post('/api/admin/webhooks', {
    key: token,
    body: { url: receiver.url, events: ['content.created'] },
  });
  expect(subscription.status).toBe(201);
  const { id, secret } = subscription.body as { id: string; secret: string };
  const key = await app.seed.key();
  await app.post('/api/v1/posts', { key, body: { title: 'Hello' } });
  const [request] = await eventually(() => receiver.requests.length > 0 && receiver.requests);
  new Webhook(secret, { format: 'raw' }).verify(
    request?.body.toString() ?? '',
    request?.headers as Record<string, string>,
  );
  const deliveries = await eventually(async () => {
    const answer = await app.get(`/api/admin/webhooks/${id}/deliveries`, { key: token });
    const { data } = answer.body as { data: { status: string }[] };
    return data[0]?.status === 'delivered' && answer.body;
  });
  expect(deliveries).toMatchObject({
    total: 1,
    data: [{ id: request?.headers['x-service-delivery'], attempt_count: 1, next_attempt_at: null }],
  });
});
