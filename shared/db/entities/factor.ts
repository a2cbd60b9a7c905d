import { p } from '@mikro-orm/core';
import { table, textArray, timestampColumn } from '../columns.ts';

/** Second factor of a person: an authenticator app or a passkey. */
export const FactorEntity = table('factors', {
  person_id: p.text().primary(),
  id: p.text().primary(),
  kind: p.text().$type<'totp' | 'passkey'>(),
  name: p.text(),
  /** Secret of the authenticator app's codes, encrypted; null for a passkey. */
  secret_sealed: p.text().nullable(),
  /** Time step (30 seconds each) of the last code that was accepted; null for a passkey, and before the first. */
  last_step: p.integer().nullable(),
  /** ID of the passkey's credential; null for an app. Its key, counter and transports follow. */
  credential_id: p.text().unique('factors_credential_id_key').nullable(),
  /** Public key in COSE format, in base64url. */
  public_key: p.text().nullable(),
  counter: p.bigint('number').nullable(),
  transports: textArray(),
  created: timestampColumn(),
  last_used_at: timestampColumn().nullable(),
});

/** Recovery codes for people who lost all factors. A used code is deleted. */
export const RecoveryCode = table('recovery_codes', {
  person_id: p.text().primary(),
  code_hash: p.text().primary(),
});

/**
 * Purpose of a challenge: the second step of a sign-in, a sign-in by passkey alone, a fresh proof, or the addition of
 * an app or a passkey.
 */
export type ChallengePurpose = 'sign_in' | 'passkey' | 'proof' | 'add_totp' | 'add_passkey';

/** Challenge that can still be answered. Only the SHA-256 hash of its token is stored. */
export const FactorChallengeEntity = table('factor_challenges', {
  token_hash: p.text().primary(),
  purpose: p.text().$type<ChallengePurpose>(),
  /** ID of the person whom the challenge concerns; null until a passkey identifies them. */
  person_id: p.text().nullable(),
  /** Site that was named at sign-in; null if none was. */
  wanted_site: p.text().nullable(),
  /** Secret of the app that is being added, encrypted; null for other purposes. */
  secret_sealed: p.text().nullable(),
  tries: p.integer(),
  /** True if it was answered correctly. A person with several sites may still have to choose one. */
  is_passed: p.boolean(),
  is_used: p.boolean(),
  expires_at: timestampColumn(),
});

export const factorEntities = [FactorEntity, RecoveryCode, FactorChallengeEntity];
