import { z } from 'zod';
import { retryDelaysSeconds } from '../contract/limits.ts';
import { howToWritePasswords, inSchema, readableAddress } from '../db/schema.ts';
import { networks, secondsList, urlWith, wholeNumber } from './values.ts';

const logLevels = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const;

/** A PostgreSQL server of at least version 15, or several with commas between their hosts. */
export const databaseUrl = z
  .string({ error: 'is required' })
  .transform(readableAddress)
  .pipe(
    urlWith(
      ['postgres:', 'postgresql:'],
      `postgres://user:password@db.example.com:5432/content, or with several hosts: db1.example.com:5432,db2.example.com:5432. ${howToWritePasswords}`,
    ),
  );

/** A schema of that database, created when it is missing. */
export const databaseSchema = z
  .string()
  .regex(/^(?!pg_)[a-z_][a-z0-9_]{0,49}$/, {
    error: 'expected a name of lower-case letters, digits and underscores, at most 50',
  })
  .default('public')
  .describe('schema of the database that the tables are in; its job queue is in one named after it');

/** Long enough not to be guessed; what is sealed with one key opens with no other. */
export const secretKey = z
  .string({ error: 'is required' })
  .min(16, { error: 'expected at least 16 characters' });

/** Where media are kept: a directory of this machine, or a bucket. */
export const mediaUrl = urlWith(
  ['file:', 'https:', 'http:'],
  'file:///var/lib/content/media or https://KEY:SECRET@s3.example.com/bucket?region=eu-west-1',
)
  .optional()
  .meta({
    description:
      'where uploaded media are kept, a directory or a bucket of an S3-compatible service: file:///…, https://KEY:SECRET@s3.example.com/bucket?region=…; the same for server, worker and operator commands',
    whenUnset: '.data/media',
  });

/** Environment variables that every process of the service reads, for `z.object`. */
export const processVariables = {
  NODE_ENV: z
    .enum(['development', 'test', 'production'], { error: 'expected production, development or test' })
    .default('development')
    .describe('production: logs as JSON, no example content, and every secret has to be given'),
  LOG_LEVEL: z
    .enum(logLevels, { error: `expected one of ${logLevels.join(', ')}` })
    .default('info')
    .describe('least severe level that is logged'),
  METRICS_PORT: wholeNumber(1, 65_534).optional().meta({
    description:
      "port that the server's Prometheus metrics are on, at /metrics; the worker's are one port above",
    whenUnset: 'no metrics',
  }),
  METRICS_HOST: z
    .string()
    .default('127.0.0.1')
    .describe('address that metrics are on; whoever reaches it can read them'),
};

export const whatDatabaseUrlIs =
  'PostgreSQL >= 15 that holds everything; of several hosts with commas between them, or behind a proxy with ?target_session_attrs=read-write, the one that takes writes';

/** What processes need that don't bring a database and a secret key themselves. */
export const storageVariables = {
  DATABASE_URL: databaseUrl.describe(whatDatabaseUrlIs),
  DATABASE_SCHEMA: databaseSchema,
  SECRET_KEY: secretKey.describe(
    'encrypts stored webhook secrets; keep it, or they are lost: openssl rand -base64 32',
  ),
  MEDIA_URL: mediaUrl,
};

/** With the schema in the address, by which everything that uses the database knows it. */
export const withDatabaseSchema = <T extends { DATABASE_URL: string; DATABASE_SCHEMA: string }>(
  settings: T,
) => ({ ...settings, DATABASE_URL: inSchema(settings.DATABASE_URL, settings.DATABASE_SCHEMA) });

/** How webhooks are delivered. */
export const webhookVariables = {
  WEBHOOK_RETRY_SECONDS: secondsList(retryDelaysSeconds.length)
    .prefault(retryDelaysSeconds.join(','))
    .describe('seconds to wait before each further attempt of a delivery'),
  WEBHOOK_TIMEOUT_MS: wholeNumber(1, 60_000)
    .prefault('10000')
    .describe('milliseconds that a whole attempt may take'),
  WEBHOOK_ALLOW_CIDRS: networks.prefault('').meta({
    description: 'networks that webhooks may lead to though they are not public',
    whenUnset: 'none',
  }),
};
