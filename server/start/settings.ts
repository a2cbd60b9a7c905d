import { z } from 'zod';
import { storeEmail } from '../../shared/contract/email.ts';
import { bodyLimitBytes, minPasswordLength } from '../../shared/contract/limits.ts';
import { mailServer, mailVariables, needsBothForDkim } from '../../shared/runtime/settings/mail-variables.ts';
import { networks, onOrOff, origin, port, wholeNumber } from '../../shared/runtime/settings/values.ts';
import {
  databaseSchema,
  databaseUrl,
  mediaUrl,
  paymentVariables,
  processVariables,
  secretKey,
  storageVariables,
  webhookVariables,
  whatDatabaseUrlIs,
  withDatabaseSchema,
} from '../../shared/runtime/settings/variables.ts';
import { tierVariables } from '../api/limits/tiers.ts';

/** Maximum number of processes. With more, each would have too few database connections. */
const maxProcesses = 16;

/** Variables of the server, independent of the source of database and secret key. */
const serverVariables = {
  PORT: port.prefault('3000').describe('port to listen on'),
  HOST: z
    .string()
    .default('127.0.0.1')
    .describe('address to listen on; 0.0.0.0 for all addresses of this machine'),
  PUBLIC_URL: origin.optional().meta({
    description:
      'public address (origin) of the service; if it is https, plain HTTP requests are refused and HSTS is sent',
    whenUnset: 'http://localhost:PORT',
  }),
  TRUST_PROXY: networks
    .refine((list) => list.every(([, bits]) => bits > 0), {
      error: 'a /0 network is not allowed, because it would trust every client',
    })
    .transform((list) => list.map(([address, bits]) => `${address}/${bits}`))
    .prefault('')
    .meta({
      description:
        'networks of trusted proxies, separated by commas; X-Forwarded-For and X-Forwarded-Proto of other senders are ignored',
      whenUnset: 'none',
    }),
  BODY_LIMIT_BYTES: wholeNumber(1, 1024 ** 3)
    .prefault(String(bodyLimitBytes))
    .describe('maximum size of a request body, in bytes'),
  WEB_CONCURRENCY: wholeNumber(1, maxProcesses)
    .prefault('1')
    .describe(
      'number of server processes on the port; if there are several, a process that ends is replaced, and SIGHUP restarts them one by one',
    ),
  ...tierVariables,
  DATABASE_READ_URLS: z.string().optional().describe('no longer used, and can be removed'),
  SMTP_URL: mailServer.optional().meta({
    description:
      'address of the mail server for sign-in codes, such as smtp://user:password@mail.example.com:587',
    whenUnset: 'emails are stored in a folder beside the media; in production they are dropped',
  }),
  ...mailVariables,
  ...webhookVariables,
  ...paymentVariables,
  ...processVariables,
};

const rateLimitStore = z.enum(['memory', 'database'], { error: 'expected memory or database' });

const withPublicUrl = <T extends { PORT: number; PUBLIC_URL?: URL | undefined }>(settings: T) => ({
  ...settings,
  PUBLIC_URL: settings.PUBLIC_URL ?? new URL(`http://localhost:${settings.PORT}`),
  /** Address of the studio; null without a `PUBLIC_URL`, because clients may not reach the default one. */
  studioUrl: settings.PUBLIC_URL ?? null,
});

const ownerEmail = z.string().check(storeEmail);
const ownerPassword = z
  .string()
  .min(minPasswordLength, { error: `expected at least ${minPasswordLength} characters` });

/** Settings of `server/main.ts`: the server alone. */
export const ServerSettings = z
  .object({
    ...storageVariables,
    OWNER_EMAIL: ownerEmail.optional().meta({
      description: 'email address of the first owner, created with a first site if there is no site',
      whenUnset: 'no owner is created',
    }),
    OWNER_PASSWORD: ownerPassword.optional().meta({
      description: 'password of the first owner; only used when the owner is created',
      whenUnset: 'none',
    }),
    RATE_LIMIT_STORE: rateLimitStore
      .default('database')
      .describe(
        'store of rate limit counters: database (exact across all processes) or memory (separate in each process)',
      ),
    ...serverVariables,
  })
  .refine(({ OWNER_EMAIL, OWNER_PASSWORD }) => !OWNER_EMAIL || OWNER_PASSWORD, {
    path: ['OWNER_PASSWORD'],
    error: 'is required with OWNER_EMAIL',
  })
  .refine(({ OWNER_EMAIL, OWNER_PASSWORD }) => !OWNER_PASSWORD || OWNER_EMAIL, {
    path: ['OWNER_EMAIL'],
    error: 'is required with OWNER_PASSWORD',
  })
  .check(needsBothForDkim)
  .transform(withPublicUrl)
  .transform(withDatabaseSchema);

export type ServerSettings = z.infer<typeof ServerSettings>;

const ownDatabaseUrl = (whenUnset: string) =>
  databaseUrl.optional().meta({ description: whatDatabaseUrlIs, whenUnset });

/** Settings of `server/start.ts`: everything on one machine. Missing values are generated. */
export const StartSettings = z
  .object({
    DATABASE_URL: ownDatabaseUrl('an embedded PostgreSQL in .data/'),
    DATABASE_SCHEMA: databaseSchema,
    SECRET_KEY: secretKey.optional().meta({
      description:
        'key that encrypts stored secrets, such as those of webhooks; keep it, because they cannot be decrypted without it; required in production; generate with: openssl rand -base64 32',
      whenUnset: 'generated into .data/secret-key',
    }),
    MEDIA_URL: mediaUrl,
    OWNER_EMAIL: ownerEmail
      .default('owner@example.com')
      .describe('email address of the first owner, created if there is none'),
    OWNER_PASSWORD: ownerPassword
      .optional()
      .meta({ description: 'password of the first owner', whenUnset: 'generated and printed once' }),
    DEMO: onOrOff.optional().meta({
      description: 'on to create the first site with example content and a demo API key',
      whenUnset: 'on; off in production',
    }),
    RATE_LIMIT_STORE: rateLimitStore.optional().meta({
      description:
        'store of rate limit counters: memory (separate in each process) or database (exact across all processes)',
      whenUnset: 'memory; database if WEB_CONCURRENCY is above 1',
    }),
    ...serverVariables,
  })
  .refine(({ NODE_ENV, SECRET_KEY }) => NODE_ENV !== 'production' || SECRET_KEY !== undefined, {
    path: ['SECRET_KEY'],
    error: 'is required in production',
    when: () => true,
  })
  .check(needsBothForDkim)
  .transform(withPublicUrl)
  .transform((settings) => ({
    ...settings,
    RATE_LIMIT_STORE: settings.RATE_LIMIT_STORE ?? (settings.WEB_CONCURRENCY === 1 ? 'memory' : 'database'),
  }));

export type StartSettings = z.infer<typeof StartSettings>;

/** Settings of `server/ops.ts`: operator commands. */
export const OpsSettings = z.object({
  DATABASE_URL: ownDatabaseUrl(
    'the embedded PostgreSQL in .data/, started for the command if it is not running',
  ),
  DATABASE_SCHEMA: databaseSchema,
  SECRET_KEY: secretKey.optional().meta({
    description:
      'key that encrypts stored secrets; it is included in backups and used to export and import sites',
    whenUnset: 'the key in .data/secret-key',
  }),
  MEDIA_URL: mediaUrl,
  PUBLIC_URL: origin.optional().meta({
    description: 'public address (origin) of the service, for links that commands print',
    whenUnset: 'links are printed without it',
  }),
  WEBHOOK_ALLOW_CIDRS: webhookVariables.WEBHOOK_ALLOW_CIDRS,
  OPS_COMMAND: processVariables.OPS_COMMAND,
});

/** Settings of `ops mail check`: those that server and worker send mail with. */
export const MailCheckSettings = z
  .object({
    PUBLIC_URL: origin.describe(
      'public address (origin) of the service; its host is the domain that email is sent from',
    ),
    SMTP_URL: mailServer
      .optional()
      .meta({ description: 'address of the mail server', whenUnset: 'no test email can be sent' }),
    ...mailVariables,
  })
  .check(needsBothForDkim);

export type MailCheckSettings = z.infer<typeof MailCheckSettings>;

/** Settings of `ops payments check`. */
export const PaymentCheckSettings = z.object({
  STRIPE_TEST_KEY: z
    .string()
    .regex(/^[rs]k_test_\w+$/, 'must be a test key of Stripe: rk_test_ or sk_test_')
    .describe('test key of a Stripe account; live keys are refused'),
  ...paymentVariables,
});
