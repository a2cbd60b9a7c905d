import { z } from 'zod';
import { documented, titled } from '../documented.ts';
import { created, updated } from '../envelopes.ts';
import { boundedText } from '../fields.ts';
import { DateTime, moment } from '../moments.ts';
import { RecordId } from '../record-id.ts';
import { ScopeName } from '../scopes.ts';

const isOrigin = (text: string) => /^https?:\/\/[^/\\?#@*\s]+$/i.test(text) && URL.canParse(text);

/** An origin as browsers send it: scheme, host and port, nothing more. */
const Origin = documented(
  boundedText(300).refine(isOrigin, { error: 'must be an origin such as https://example.com' }),
  'Origin that requests may come from',
  'https://ada.example.com',
);

const name = documented(boundedText(200).min(1), 'What the key is for', 'Static site build');
const scopes = documented(z.array(ScopeName).min(1).max(100), 'What the key may do', ['read']);
const allowedOrigins = documented(
  z.array(Origin).max(100),
  'Origins that requests may come from; empty means any',
  [],
);
const expiry = documented(DateTime.nullable(), 'When the key stops working; null for never', null);
const active = documented(z.boolean(), 'Whether the key works', true);
const keyPrefix = documented(z.string(), 'How the key begins', 'svc_live_4fT9qL2xKd0Z');
const key = z.string().describe('The full key, shown only here');

/** A new API key, as its owner asks for it. */
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
  expiry: moment('When the key stops working; null for never').nullable(),
  created,
};

export const CreatedApiKey = titled('CreatedApiKey', { ...shown, key });

export const ApiKeySummary = titled('ApiKey', {
  ...shown,
  updated,
  last_used_at: moment('Last use, to the minute; null before the first').nullable(),
});

/** The old secret stays valid until `previous_key_expires_at`. */
export const RotatedApiKey = titled('RotatedApiKey', {
  id: RecordId,
  key,
  key_prefix: keyPrefix,
  previous_key_expires_at: moment('When the previous secret stops working'),
});
