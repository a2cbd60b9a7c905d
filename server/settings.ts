import { z } from 'zod';
import { storeEmail } from '../shared/contract/email.ts';
import { bodyLimitBytes, shortestPassword } from '../shared/contract/limits.ts';
import { mailServer, mailVariables, needsBothForDkim } from '../shared/settings/mail-variables.ts';
import { networks, onOrOff, origin, port, wholeNumber } from '../shared/settings/values.ts';
import {
  databaseSchema,
  databaseUrl,
  mediaUrl,
  processVariables,
  secretKey,
  storageVariables,
  webhookVariables,
  whatDatabaseUrlIs,
  withDatabaseSchema,
} from '../shared/settings/variables.ts';
import { tierVariables } from './limits/tiers.ts';

/** More would leave each too few connections to the database. */
const mostProcesses = 16;

/** What the server reads wherever its database and secret key come from. */
const serverVariables = {
  PORT: port.prefault('3000').describe('where to listen'),
  HOST: z
    .string()
    .default('127.0.0.1')
    .describe('address to listen on; 0.0.0.0 for all that this machine has'),
  PUBLIC_URL: origin.optional().meta({
    description: "the service's origin as clients see it; https turns on the https rule and HSTS",
    whenUnset: 'http://localhost:PORT',
  }),
  TRUST_PROXY: networks
    .refine((list) => list.every(([, bits]) => bits > 0), { error: 'a network of /0 would trust everybody' })
    .transform((list) => list.map(([address, bits]) => `${address}/${bits}`))
    .prefault('')
    .meta({
      description: 'networks of the proxies whose X-Forwarded-For and X-Forwarded-Proto are believed',
      whenUnset: 'none',
    }),
  BODY_LIMIT_BYTES: wholeNumber(1, 1024 ** 3)
    .prefault(String(bodyLimitBytes))
    .describe('largest request body'),
  WEB_CONCURRENCY: wholeNumber(1, mostProcesses)
    .prefault('1')
    .describe(
      'server processes on the port; of several, one that ends is replaced, and SIGHUP replaces them one by one',
    ),
  ...tierVariables,
  DATABASE_READ_URLS: z.string().optional().describe('no longer used, and can be removed'),
  SMTP_URL: mailServer.optional().meta({
    description: 'mail server for sign-in codes',
    whenUnset: 'messages are kept in a folder beside the media, in production they are not sent',
  }),
  ...mailVariables,
  ...webhookVariables,
  ...processVariables,
};

const rateLimitStore = z.enum(['memory', 'database'], { error: 'expected memory or database' });

const withPublicUrl = <T extends { PORT: number; PUBLIC_URL?: URL | undefined }>(settings: T) => ({
  ...settings,
  PUBLIC_URL: settings.PUBLIC_URL ?? new URL(`http://localhost:${settings.PORT}`),
  /** The studio's address; null without a `PUBLIC_URL`, because clients may not reach the default one. */
  studioUrl: settings.PUBLIC_URL ?? null,
});

const ownerEmail = z.string().check(storeEmail);
const ownerPassword = z
  .string()
  .min(shortestPassword, { error: `expected at least ${shortestPassword} characters` });

/** Of `server/main.ts`: the server alone. */
export const ServerSettings = z
  .object({
    ...storageVariables,
    OWNER_EMAIL: ownerEmail.optional().meta({
      description: 'login of the first owner, who is made with a first site when there is none',
      whenUnset: 'nobody is made',
    }),
    OWNER_PASSWORD: ownerPassword.optional().meta({
      description: 'password of the first owner; not needed any more afterwards',
      whenUnset: 'none',
    }),
    RATE_LIMIT_STORE: rateLimitStore
      .default('database')
      .describe('where rate limits are counted: database, exact over all processes; memory, by each its own'),
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

/** Of `server/start.ts`: everything on one machine, which makes itself what is not given. */
export const StartSettings = z
  .object({
    DATABASE_URL: ownDatabaseUrl('a PostgreSQL of its own in .data/'),
    DATABASE_SCHEMA: databaseSchema,
    SECRET_KEY: secretKey.optional().meta({
      description:
        'encrypts stored webhook secrets; keep it, or they are lost; production needs one: openssl rand -base64 32',
      whenUnset: 'generated into .data/secret-key',
    }),
    MEDIA_URL: mediaUrl,
    OWNER_EMAIL: ownerEmail
      .default('owner@example.com')
      .describe('login of the first owner, made when there is none'),
    OWNER_PASSWORD: ownerPassword
      .optional()
      .meta({ description: 'password of the first owner', whenUnset: 'generated and printed once' }),
    DEMO: onOrOff.optional().meta({
      description: 'example content and an API key to try, made with the first site',
      whenUnset: 'on, in production off',
    }),
    RATE_LIMIT_STORE: rateLimitStore.optional().meta({
      description: 'where rate limits are counted: memory, by each process its own; database, exact over all',
      whenUnset: 'memory for one process, database for several',
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

/** Of `server/ops.ts`: operator commands. */
export const OpsSettings = z.object({
  DATABASE_URL: ownDatabaseUrl('the PostgreSQL in .data/, started for the command if it is not running'),
  DATABASE_SCHEMA: databaseSchema,
  SECRET_KEY: secretKey.optional().meta({
    description: 'goes into backups, and opens what is sealed of a site that moves',
    whenUnset: 'that of .data/secret-key',
  }),
  MEDIA_URL: mediaUrl,
  PUBLIC_URL: origin.optional().meta({
    description: "the service's origin: where links lead that a command shows",
    whenUnset: 'they are shown without it',
  }),
  WEBHOOK_ALLOW_CIDRS: webhookVariables.WEBHOOK_ALLOW_CIDRS,
});

/** Of `ops mail check`: what server and worker send mail by. */
export const MailCheckSettings = z
  .object({
    PUBLIC_URL: origin.describe("the service's origin: mail comes from its host"),
    SMTP_URL: mailServer.optional().meta({ description: 'mail server', whenUnset: 'no test can be sent' }),
    ...mailVariables,
  })
  .check(needsBothForDkim);

export type MailCheckSettings = z.infer<typeof MailCheckSettings>;
