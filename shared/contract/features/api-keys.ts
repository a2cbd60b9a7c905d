import { z } from 'zod';
import { created, updated } from '../envelopes.ts';
import { boundedText } from '../fields.ts';
import { DateTime, moment } from '../moments.ts';
import { RecordId } from '../record-id.ts';
import { ScopeName } from '../scopes.ts';
import { titled } from '../titled.ts';

const isOrigin = (text: string) => /^https?:\/\/[^/\\?#@*\s]+$/i.test(text) && URL.canParse(text);

/** An origin as browsers send it: scheme, host and port, nothing more. */
const Origin = boundedText(300)
  .refine(isOrigin, { error: 'must be an origin such as https://example.com' })
  .meta({ description: 'Origin that requests may come from', examples: ['https://ada.example.com'] });

const name = boundedText(200)
  .min(1)
  .meta({ description: 'What the key is for', examples: ['Static site build'] });
const scopes = z
  .array(ScopeName)
  .min(1)
  .max(100)
  .meta({ description: 'What the key may do', examples: [['read']] });
const allowedOrigins = z
  .array(Origin)
  .max(100)
  .meta({ description: 'Origins that requests may come from; empty means any', examples: [[]] });
const expiry = DateTime.nullable().meta({
  description: 'When the key stops working; null for never',
  examples: [null],
});
const active = z.boolean().meta({ description: 'Whether the key works', examples: [true] });
const keyPrefix = z.string().meta({ description: 'How the key begins', examples: ['svc_live_4fT9qL2xKd0Z'] });
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
