import { p } from '@mikro-orm/core';
import { moment, sitePrimaryKey, table } from '../columns.ts';

/** Somebody who is signed in to the studio of a site; only the SHA-256 of the token is kept. */
export const OwnerSessionEntity = table('owner_sessions', {
  ...sitePrimaryKey,
  owner_id: p.text(),
  token_hash: p.text().unique('owner_sessions_token_hash_key'),
  expires_at: moment(),
  created: moment(),
  last_used_at: moment().nullable(),
  browser: p.text().nullable(),
  address: p.text().nullable(),
  /** When they last gave a second factor in it. */
  proved_at: moment().nullable(),
});

/** The link by which somebody chooses a new password: the latest that was asked for. */
export const PasswordReset = table('password_resets', {
  person_id: p.text().primary(),
  token_hash: p.text().unique('password_resets_token_hash_key'),
  is_used: p.boolean(),
  expires_at: moment(),
});
