import { expect, test } from 'vitest';
import { restRouter } from '../../server/api/router/app-router.ts';
import { createOpenApiDocument } from '../../server/http/openapi/document.ts';
import { eventNames } from '../../shared/contract/events.ts';
import { parseCidr } from '../../shared/webhooks/index.ts';
import { fireAllEvents } from '../support/all-events.ts';
import { startApp } from '../support/app.ts';
import { eventually } from '../support/eventually.ts';
import { faultsOfDelivery } from '../support/operations.ts';
import { startReceiver } from '../support/tls-receiver.ts';
import { startTestWorker } from '../support/worker.ts';

const document = await createOpenApiDocument(restRouter, new URL('https://ada.creators.test'));

test('each of the nine events is delivered as documented, and passes the verification code of the document', async () => {
  const { isAuthentic } = await shownVerification();
  await using receiver = await startReceiver();
  await using app = await startApp({
    webhooks: { ca: receiver.ca, allowCidrs: [parseCidr('127.0.0.0/8')] },
  });
  await using _worker = await startTestWorker(app);
  const body = { url: receiver.url, events: eventNames };
  const created = await app.post('/api/admin/webhooks', { key: await app.seed.ownerToken(), body });
  const { secret } = created.body as { secret: string };
  await fireAllEvents(app);
  const events = await eventually(() => {
    const names = new Set(receiver.requests.map(({ headers }) => headers['x-service-event']));
    return names.size === eventNames.length && receiver.requests;
  });
  for (const { headers, body } of events) {
    const event = String(headers['x-service-event']);
    expect([event, await faultsOfDelivery({ event, headers, body: body.toString() })]).toEqual([event, []]);
    const signature = String(headers['x-service-signature']);
    expect(isAuthentic(body, signature, secret)).toBe(true);
    expect(isAuthentic(Buffer.concat([body, Buffer.from(' ')]), signature, secret)).toBe(false);
    expect(isAuthentic(body, 'sha256=é', secret)).toBe(false);
  }
});

interface Verification {
  isAuthentic(body: Uint8Array, signature: string, secret: string): boolean;
}

/** The JavaScript that the document shows to receivers. */
async function shownVerification(): Promise<Verification> {
  const [, code = ''] = /```js\n(.*?)```/s.exec(document.info.description ?? '') ?? [];
  return import(`data:text/javascript,${encodeURIComponent(code)}`);
}
