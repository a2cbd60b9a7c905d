import { Secret, TOTP } from 'otpauth';
import type { Transaction } from '../../../../shared/db/config.ts';
import { FactorEntity, RecoveryCode } from '../../../../shared/db/entities/factor.ts';
import { totpOwner } from '../../../../shared/runtime/encrypted-columns.ts';
import { hashSecret, openedOrNull, type SecretBox } from '../../../../shared/runtime/secret-box.ts';
import type { Deps } from '../../../api/deps.ts';

/** Parameters that every app supports; some support no others (RFC 6238). */
const form = { algorithm: 'SHA1', digits: 6, period: 30 } as const;

/** Maximum clock difference of a phone, in steps of 30 seconds. */
const window = 1;

/** Removes spaces and hyphens that people type in a code, and converts it to lower case. */
export const plainCode = (code: string) => code.replace(/[\s-]/g, '').toLowerCase();

/**
 * Creates a secret for an authenticator app: as text to type, as a URI for a QR code, and encrypted for the database.
 */
export function newTotp(
  { secrets, randomBytes }: { secrets: SecretBox; randomBytes: (size: number) => Uint8Array },
  { personId, label, issuer }: { personId: string; label: string; issuer: string },
) {
  const secret = new Secret({ buffer: Uint8Array.from(randomBytes(20)).buffer });
  const uri = new TOTP({ ...form, secret, label, issuer }).toString();
  return { secret: secret.base32, uri, sealed: secrets.seal(secret.base32, totpOwner(personId)) };
}

/**
 * Returns the step of a code, in units of 30 seconds since 1970; null if the code is wrong. Throws
 * `SealedSecretError` if the secret was encrypted with another `SECRET_KEY`.
 */
export function stepOf(
  { secrets, now }: { secrets: SecretBox; now: Date },
  { personId, sealed, code }: { personId: string; sealed: string; code: string },
): number | null {
  const secret = Secret.fromBase32(secrets.open(sealed, totpOwner(personId)));
  const timestamp = now.getTime();
  const delta = TOTP.validate({ ...form, window, secret, timestamp, token: code });
  return delta === null ? null : TOTP.counter({ ...form, timestamp }) + delta;
}

const isTotp = (code: string) => /^\d{6}$/.test(code);

type CodeDeps = Pick<Deps, 'clock' | 'secrets'>;

/**
 * Uses a code of an app or a recovery code, each of which is valid once. Returns the person's id; null if it is wrong
 * or used.
 */
export async function useCode(em: Transaction, deps: CodeDeps, person_id: string, given: string) {
  const code = plainCode(given);
  const isRight = await (isTotp(code)
    ? useTotp(em, deps, person_id, code)
    : useRecovery(em, person_id, code));
  return isRight ? person_id : null;
}

async function useTotp(em: Transaction, { clock, secrets }: CodeDeps, person_id: string, code: string) {
  const factors = em.getKysely().selectFrom('factors').select(['id', 'secret_sealed']);
  const apps = await factors.where('person_id', '=', person_id).where('kind', '=', 'totp').execute();
  const now = clock.now();
  for (const { id, secret_sealed: sealed } of apps) {
    // A secret that was sealed with another key matches no code, but must not block the codes of another app.
    const step =
      sealed && openedOrNull(() => stepOf({ secrets, now }, { personId: person_id, sealed, code }));
    if (typeof step !== 'number') continue;
    const unused = { person_id, id, $or: [{ last_step: null }, { last_step: { $lt: step } }] };
    const used = { last_step: step, last_used_at: now };
    if ((await em.nativeUpdate(FactorEntity, unused, used)) > 0) return true;
  }
  return false;
}

const useRecovery = async (em: Transaction, person_id: string, code: string) =>
  (await em.nativeDelete(RecoveryCode, { person_id, code_hash: hashSecret(code) })) > 0;
