import { p } from '@mikro-orm/core';
import type { Scope } from '../../contract/scopes.ts';
import { bookkeeping, sitePrimaryKey, table, textArray, timestampColumn } from '../columns.ts';

/** API key. Only the SHA-256 hash of its secret is stored. */
export const ApiKey = table('api_keys', {
  ...sitePrimaryKey,
  name: p.text(),
  key_hash: p.text().unique('api_keys_key_hash_key'),
  key_prefix: p.text(),
  previous_key_hash: p.text().nullable().unique('api_keys_previous_key_hash_key'),
  previous_key_expires_at: timestampColumn().nullable(),
  scopes: textArray().$type<Scope[]>(),
  allowed_origins: textArray(),
  active: p.boolean(),
  expiry: timestampColumn().nullable(),
  last_used_at: timestampColumn().nullable(),
  ...bookkeeping,
});
