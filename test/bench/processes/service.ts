import { randomBytes } from 'node:crypto';
import { pino } from 'pino';
import { buildApp } from '../../../server/app.ts';
import { createMemoryRateLimiter } from '../../../server/http/memory-rate-limiter.ts';
import { bodyLimitBytes } from '../../../shared/contract/limits.ts';
import { openDatabase } from '../../../shared/db/config.ts';
import { parseCidr } from '../../../shared/webhooks/addresses.ts';
import { createDnsLookup } from '../../../shared/webhooks/lookup.ts';
import { createSecretBox } from '../../../shared/webhooks/secret-box.ts';
import { createWebhookSender } from '../../../shared/webhooks/send.ts';

const { DATABASE_URL: url = '', PORT: port = '', SECRET_KEY: secretKey = '' } = process.env;
const clock = { now: () => new Date() };
const huge = { perMinute: 1e9, burst: 1e9 };
const rule = { lookup: createDnsLookup(), allowCidrs: [parseCidr('127.0.0.0/8')], timeoutMs: 10_000 };
const app = buildApp({
  database: await openDatabase({ url, poolSize: 10, applicationName: 'server' }),
  clock,
  randomBytes,
  limiter: createMemoryRateLimiter({ normal: huge, moderate: huge, strict: huge }, clock),
  logger: pino(),
  webhooks: {
    rule,
    secrets: createSecretBox(secretKey, randomBytes),
    sender: createWebhookSender(rule),
  },
  mailer: { send: async () => {} },
  config: { publicUrl: new URL(`http://localhost:${port}`), trustProxy: [], bodyLimitBytes },
});
process.once('SIGTERM', () => process.exit(0));
await app.listen({ host: '127.0.0.1', port: Number(port) });
