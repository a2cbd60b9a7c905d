import { p } from '@mikro-orm/core';
import { moment, table, textArray } from '../columns.ts';

/** A second factor of somebody: an app with codes, or a passkey. */
export const FactorEntity = table('factors', {
  person_id: p.text().primary(),
  id: p.text().primary(),
  kind: p.text().$type<'totp' | 'passkey'>(),
  name: p.text(),
  /** Of an app: what its codes are made of. */
  secret_sealed: p.text().nullable(),
  /** Of an app: the half minute whose code was the last that counted. */
  last_step: p.integer().nullable(),
  /** Of a passkey, as are the rest. */
  credential_id: p.text().unique('factors_credential_id_key').nullable(),
  /** COSE, in base64url. */
  public_key: p.text().nullable(),
  counter: p.bigint('number').nullable(),
  transports: textArray(),
  created: moment(),
  last_used_at: moment().nullable(),
});

/** Codes for who has lost all their factors; one that is used goes. */
export const RecoveryCode = table('recovery_codes', {
  person_id: p.text().primary(),
  code_hash: p.text().primary(),
});

/**
 * What is asked with a challenge: the second step of signing in, a passkey alone, a fresh proof, or the first code or
 * response of a factor that is being added.
 */
export type ChallengePurpose = 'sign_in' | 'passkey' | 'proof' | 'add_totp' | 'add_passkey';

/** What somebody was asked and may still answer; only the SHA-256 of the challenge is kept. */
export const FactorChallengeEntity = table('factor_challenges', {
  token_hash: p.text().primary(),
  purpose: p.text().$type<ChallengePurpose>(),
  /** Null until a passkey says who it is. */
  person_id: p.text().nullable(),
  /** The site that somebody who signs in has named. */
  wanted_site: p.text().nullable(),
  /** Of an app that is being added. */
  secret_sealed: p.text().nullable(),
  tries: p.integer(),
  /** Whether it was answered rightly: who has several sites may still have to name one. */
  is_passed: p.boolean(),
  is_used: p.boolean(),
  expires_at: moment(),
});

export const factorEntities = [FactorEntity, RecoveryCode, FactorChallengeEntity];
