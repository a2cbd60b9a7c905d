import { z } from 'zod';
import { base62, type RandomBytes, RecordId, randomText } from '../contract/record-id.ts';
import { openedOrNull, type SecretBox } from '../runtime/secret-box.ts';

/** Creates an invitation token: `svc_invite_` and 43 base62 characters. */
export const newInvitationToken = (randomBytes: RandomBytes) =>
  `svc_invite_${randomText(base62, 43, randomBytes)}`;

/** Creates a password reset token: `svc_reset_` and 43 base62 characters. */
export const newResetToken = (randomBytes: RandomBytes) => `svc_reset_${randomText(base62, 43, randomBytes)}`;

/** Content of a token that confirms a new email address. */
const EmailChange = z.strictObject({
  personId: RecordId,
  email: z.string(),
  /** Time of the account's last change before the request. A later change invalidates the token. */
  updated: z.coerce.date(),
  endsAt: z.coerce.date(),
});

export type EmailChange = z.infer<typeof EmailChange>;

const emailChangePrefix = 'svc_email_';
const emailChangePurpose = 'a new address of an account';

type Box<Does extends keyof SecretBox> = Pick<SecretBox, Does>;

/** Creates a token that confirms a new email address. It is not stored: only `SECRET_KEY` can decrypt it. */
export const emailChangeToken = (secrets: Box<'seal'>, change: EmailChange): string =>
  emailChangePrefix + secrets.seal(JSON.stringify(change), emailChangePurpose);

/** Reads a token that confirms a new email address; null if it is invalid. The caller checks whether it has expired. */
export function readEmailChangeToken(secrets: Box<'open'>, token: string): EmailChange | null {
  if (!token.startsWith(emailChangePrefix)) return null;
  return openedOrNull(() =>
    EmailChange.parse(JSON.parse(secrets.open(token.slice(emailChangePrefix.length), emailChangePurpose))),
  );
}
