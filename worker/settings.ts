import { z } from 'zod';
import { parseCidr } from '../shared/webhooks/addresses.ts';

const list = (text: string) => text.split(',').filter((entry) => entry !== '');

/** Of `worker/main.ts`. */
export const WorkerSettings = z.object({
  DATABASE_URL: z.string(),
  SECRET_KEY: z.string().min(16),
  LOG_LEVEL: z.string().default('info'),
  METRICS_PORT: z.coerce.number().int().optional(),
  WEBHOOK_RETRY_SECONDS: z
    .string()
    .default('60,300,1800,7200,43200')
    .transform((text) => list(text).map(Number)),
  WEBHOOK_TIMEOUT_MS: z.coerce.number().int().default(10_000),
  WEBHOOK_ALLOW_CIDRS: z
    .string()
    .default('')
    .transform((text) => list(text).map(parseCidr)),
});

export type WorkerSettings = z.infer<typeof WorkerSettings>;
