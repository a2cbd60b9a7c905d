import { z } from 'zod';
import { boundedText, DateTime } from './fields.ts';
import { ScopeName } from './scopes.ts';

/** An origin as browsers send it: scheme, host and port, nothing more. Kept in its normal form. */
export const Origin = boundedText(300)
  .refine(isOrigin, { error: 'Expected an origin such as https://example.com' })
  .meta({ description: 'Origin that requests may come from', examples: ['https://ada.example.com'] });

function isOrigin(text: string): boolean {
  if (!/^https?:\/\/[^/?#@\s]+$/i.test(text) || !URL.canParse(text)) return false;
  return true;
}

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
  .meta({ description: 'Origins requests may come from; empty means any', examples: [[]] });
const expiry = DateTime.nullable().meta({
  description: 'When the key stops working; null for never',
  examples: [null],
});

/** SPEC "Admin: API keys": create. */
export const CreateApiKey = z.strictObject({
  name,
  scopes,
  allowed_origins: allowedOrigins.optional(),
  expiry: expiry.optional(),
});

export type CreateApiKey = z.infer<typeof CreateApiKey>;
