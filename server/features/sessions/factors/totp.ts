import { Secret, TOTP } from 'otpauth';
import { totpOwner } from '../../../../shared/lasting-secrets.ts';
import type { SecretBox } from '../../../../shared/secret-box.ts';

/** What every app knows, and some know nothing else (RFC 6238). */
const form = { algorithm: 'SHA1', digits: 6, period: 30 } as const;

/** Half minutes that the clock of a phone may be ahead or behind. */
const window = 1;

/** A code as it is compared, without what people type in between. */
export const plainCode = (code: string) => code.replace(/[\s-]/g, '').toLowerCase();

/** A new secret as the app and the database get it. */
export function newTotp(
  { secrets, randomBytes }: { secrets: SecretBox; randomBytes: (size: number) => Uint8Array },
  { personId, label, issuer }: { personId: string; label: string; issuer: string },
) {
  const secret = new Secret({ buffer: Uint8Array.from(randomBytes(20)).buffer });
  const uri = new TOTP({ ...form, secret, label, issuer }).toString();
  return { secret: secret.base32, uri, sealed: secrets.seal(secret.base32, totpOwner(personId)) };
}

/** The half minute that a code is of, since 1970; null when it is wrong. */
export function stepOf(
  { secrets, now }: { secrets: SecretBox; now: Date },
  { personId, sealed, code }: { personId: string; sealed: string; code: string },
): number | null {
  const secret = Secret.fromBase32(secrets.open(sealed, totpOwner(personId)));
  const timestamp = now.getTime();
  const delta = TOTP.validate({ ...form, window, secret, timestamp, token: code });
  return delta === null ? null : TOTP.counter({ ...form, timestamp }) + delta;
}
