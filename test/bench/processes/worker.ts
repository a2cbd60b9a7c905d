import { randomBytes } from 'node:crypto';
import { pino } from 'pino';
import { openDatabase } from '../../../shared/db/config.ts';
import { parseCidr } from '../../../shared/webhooks/addresses.ts';
import { createDnsLookup } from '../../../shared/webhooks/lookup.ts';
import { createSecretBox } from '../../../shared/webhooks/secret-box.ts';
import { createWebhookSender } from '../../../shared/webhooks/send.ts';
import { startWorker } from '../../../worker/worker.ts';

const {
  DATABASE_URL: url = '',
  SECRET_KEY: secretKey = '',
  WEBHOOK_RETRY_SECONDS: retry = '60,300,1800,7200,43200',
} = process.env;
const timeoutMs = 10_000;
const worker = await startWorker({
  database: await openDatabase({ url, poolSize: 4, applicationName: 'worker' }),
  databaseUrl: url,
  randomBytes,
  logger: pino(),
  secrets: createSecretBox(secretKey, randomBytes),
  sender: createWebhookSender({
    lookup: createDnsLookup(),
    allowCidrs: [parseCidr('127.0.0.0/8')],
    timeoutMs,
  }),
  retrySeconds: retry.split(',').map(Number),
  timeoutMs,
});
process.once('SIGTERM', () => void worker.stop().finally(() => process.exit(0)));
