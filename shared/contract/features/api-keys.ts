import { z } from 'zod';
import { documented, titled } from '../documented.ts';
import { created, updated } from '../envelopes.ts';
import { boundedText } from '../fields.ts';
import { RecordId } from '../record-id.ts';
import { ScopeName } from '../scopes.ts';
import { DateTime, timestamp } from '../timestamps.ts';

const isOrigin = (text: string) => /^https?:\/\/[^/\\?#@*\s]+$/i.test(text) && URL.canParse(text);

/** Origin as browsers send it: scheme, host and port. */
const Origin = documented(
  boundedText(300).refine(isOrigin, { error: 'must be an origin such as https://example.com' }),
  'Allowed origin: scheme, host name and port',
  'https://ada.example.com',
);

const name = documented(boundedText(200).min(1), 'Name of the key', 'Static site build');
const scopes = documented(z.array(ScopeName).min(1).max(100), 'Scopes of the key', ['read']);
const allowedOrigins = documented(
  z.array(Origin).max(100),
  'Origins from which requests are accepted; empty for any',
  [],
);
const expiry = documented(DateTime.nullable(), 'Expiry time; null if the key does not expire', null);
const active = documented(z.boolean(), 'True if the key is accepted; false if it is disabled', true);
const keyPrefix = documented(z.string(), 'First characters of the key', 'svc_live_4fT9qL2xKd0Z');
const key = z.string().describe('Full key; returned only in this response');

/** Request for a new API key. */
export const CreateApiKey = titled('CreateApiKey', {
  name,
  scopes,
  allowed_origins: allowedOrigins.nullable().optional(),
  expiry: expiry.optional(),
});

export type CreateApiKey = z.infer<typeof CreateApiKey>;

export const UpdateApiKey = titled('UpdateApiKey', {
  id: RecordId,
  name: name.optional(),
  scopes: scopes.optional(),
  allowed_origins: allowedOrigins.nullable().optional(),
  active: active.optional(),
  expiry: expiry.optional(),
});

export type UpdateApiKey = z.infer<typeof UpdateApiKey>;

const shown = {
  id: RecordId,
  key_prefix: keyPrefix,
  name,
  scopes,
  allowed_origins: allowedOrigins,
  active,
  expiry: timestamp('Expiry time; null if the key does not expire').nullable(),
  created,
};

export const CreatedApiKey = titled('CreatedApiKey', { ...shown, key });

export const ApiKeySummary = titled('ApiKey', {
  ...shown,
  updated,
  last_used_at: timestamp('Time of the last use, accurate to a minute; null if never used').nullable(),
});

/** Rotated API key. The previous secret stays valid until `previous_key_expires_at`. */
export const RotatedApiKey = titled('RotatedApiKey', {
  id: RecordId,
  key,
  key_prefix: keyPrefix,
  previous_key_expires_at: timestamp('Time at which the previous key stops being accepted'),
});
