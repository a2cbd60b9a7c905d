import { z } from 'zod';
import { retryDelaysSeconds } from '../../contract/limits.ts';
import { howToWritePasswords, inSchema, readableAddress } from '../../db/schema.ts';
import { isLoopbackHost } from '../../selling/test-sales.ts';
import { opsCommandOfCheckout } from '../ops-command.ts';
import { networks, origin, secondsList, urlWith, wholeNumber } from './values.ts';

const logLevels = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const;

/** URL of a PostgreSQL server of version 15 or newer, or of several with commas between their hosts. */
export const databaseUrl = z
  .string({ error: 'is required' })
  .transform(readableAddress)
  .pipe(
    urlWith(
      ['postgres:', 'postgresql:'],
      `postgres://user:password@db.example.com:5432/content, or with several hosts: db1.example.com:5432,db2.example.com:5432. ${howToWritePasswords}`,
    ),
  );

/** PostgreSQL schema of the service's tables in that database. It is created if missing. */
export const databaseSchema = z
  .string()
  .regex(/^(?!pg_)[a-z_][a-z0-9_]{0,49}$/, {
    error: 'expected at most 50 lowercase letters, digits and underscores',
  })
  .default('public')
  .describe('database schema of the tables; the job queue uses a second schema named after it');

/** Key that encrypts stored secrets. Its minimum length makes guessing impractical. */
export const secretKey = z
  .string({ error: 'is required' })
  .min(16, { error: 'expected at least 16 characters' });

/** Location of the media store: a directory of this machine, or a bucket. */
export const mediaUrl = urlWith(
  ['file:', 'https:', 'http:'],
  'file:///var/lib/content/media or https://KEY:SECRET@s3.example.com/bucket?region=eu-west-1',
)
  .optional()
  .meta({
    description:
      'media store: a folder (file:///…) or an S3-compatible bucket (https://KEY:SECRET@s3.example.com/bucket?region=…); the same for server, worker and operator commands',
    whenUnset: '.data/media',
  });

/** Environment variables that every process of the service reads, for `z.object`. */
export const processVariables = {
  NODE_ENV: z
    .enum(['development', 'test', 'production'], { error: 'expected production, development or test' })
    .default('development')
    .describe('mode: production logs JSON, creates no example content and requires every secret'),
  LOG_LEVEL: z
    .enum(logLevels, { error: `expected one of ${logLevels.join(', ')}` })
    .default('info')
    .describe('lowest level of messages to log'),
  METRICS_PORT: wholeNumber(1, 65_534).optional().meta({
    description: "port of the server's Prometheus metrics, at /metrics; the worker uses the next port",
    whenUnset: 'no metrics',
  }),
  METRICS_HOST: z
    .string()
    .default('127.0.0.1')
    .describe('address to serve metrics on; reading them requires no password'),
  OPS_COMMAND: z.string().optional().meta({
    description: 'command line of operator commands, which messages name',
    whenUnset: opsCommandOfCheckout,
  }),
};

export const whatDatabaseUrlIs =
  'address of the PostgreSQL database, version 15 or newer; it may list several hosts, separated by commas, of which the one that accepts writes is used; for a proxy to several hosts, add ?target_session_attrs=read-write';

/** Variables of processes that use a given database, for `z.object`. */
export const storageVariables = {
  DATABASE_URL: databaseUrl.describe(whatDatabaseUrlIs),
  DATABASE_SCHEMA: databaseSchema,
  SECRET_KEY: secretKey.describe(
    'key that encrypts stored secrets, such as those of webhooks; keep it, because they cannot be decrypted without it; generate with: openssl rand -base64 32',
  ),
  MEDIA_URL: mediaUrl,
};

/** Returns the settings with the schema added to the database URL, where all users of the database find it. */
export const withDatabaseSchema = <T extends { DATABASE_URL: string; DATABASE_SCHEMA: string }>(
  settings: T,
) => ({ ...settings, DATABASE_URL: inSchema(settings.DATABASE_URL, settings.DATABASE_SCHEMA) });

/** Variables for the delivery of webhooks. */
export const webhookVariables = {
  WEBHOOK_RETRY_SECONDS: secondsList(retryDelaysSeconds.length)
    .prefault(retryDelaysSeconds.join(','))
    .describe('delays before each retry of a webhook delivery, in seconds'),
  WEBHOOK_TIMEOUT_MS: wholeNumber(1, 60_000)
    .prefault('10000')
    .describe('maximum duration of a webhook attempt, in milliseconds'),
  WEBHOOK_ALLOW_CIDRS: networks.prefault('').meta({
    description: 'private networks that webhooks may call, separated by commas, such as 10.0.0.0/8',
    whenUnset: 'none',
  }),
};

/** Variables for payments. */
export const paymentVariables = {
  STRIPE_API_BASE: origin
    .refine(({ protocol, hostname }) => protocol === 'https:' || isLoopbackHost(hostname), {
      error: 'plain http is allowed for a loopback address only',
    })
    .prefault('https://api.stripe.com')
    .describe("origin of Stripe's API; another one is for tests"),
};
