import { randomBytes } from 'node:crypto';
import { Pool } from 'undici';
import { newRecordId } from '../../../shared/contract/record-id.ts';
import { deliveryHeaders } from '../../../shared/webhooks/sign.ts';

/**
 * Process that signs and sends deliveries without storing outcomes: an upper bound for a worker. Reports its rate at
 * the end.
 */
const { RECEIVERS = '', SECRET = '', IN_FLIGHT, SECONDS } = process.env;
const origins = RECEIVERS.split(',');
const event = 'content.created';
const timestamp = '2026-01-31T09:05:00.123Z';
const data = {
  id: '1',
  collection: 'posts',
  title: 'Type-safe APIs without a build step',
  slug: 'type-safe-apis',
};
const body = Buffer.from(JSON.stringify({ event, timestamp, data }));
let sent = 0;

async function sendUntil(endsAt: number, pool: Pool) {
  while (performance.now() < endsAt) {
    const sentAt = new Date();
    const deliveryId = newRecordId(sentAt, randomBytes);
    const headers = deliveryHeaders({ event, deliveryId, secret: SECRET, body, sentAt });
    const answer = await pool.request({ path: '/hook', method: 'POST', headers, body });
    await answer.body.dump();
    if (answer.statusCode === 200) sent += 1;
  }
}

const each = Math.ceil(Number(IN_FLIGHT) / origins.length);
const startedAt = performance.now();
const endsAt = startedAt + Number(SECONDS) * 1_000;
await Promise.all(
  origins.map(async (origin) => {
    const pool = new Pool(origin, { connections: each });
    await Promise.all(Array.from({ length: each }, () => sendUntil(endsAt, pool)));
    await pool.close();
  }),
);
process.send?.({ sent, perSecond: (sent * 1_000) / (performance.now() - startedAt) });
process.disconnect();
