import { z } from 'zod';
import { base62, type RandomBytes, RecordId, randomText } from '../contract/record-id.ts';
import { openedOrNull, type SecretBox } from '../runtime/secret-box.ts';

/** A new token of the link by which somebody comes to work on a site: `svc_invite_` and 43 base62 characters. */
export const newInvitationToken = (randomBytes: RandomBytes) =>
  `svc_invite_${randomText(base62, 43, randomBytes)}`;

/** A new token of the link by which somebody chooses a new password: `svc_reset_` and 43 base62 characters. */
export const newResetToken = (randomBytes: RandomBytes) => `svc_reset_${randomText(base62, 43, randomBytes)}`;

/** What the link says by which somebody confirms a new address. */
const EmailChange = z.strictObject({
  personId: RecordId,
  email: z.string(),
  /** When the account was changed last before it was asked for: another change since ends the link. */
  updated: z.coerce.date(),
  endsAt: z.coerce.date(),
});

export type EmailChange = z.infer<typeof EmailChange>;

const emailChangePrefix = 'svc_email_';
const emailChangePurpose = 'a new address of an account';

type Box<Does extends keyof SecretBox> = Pick<SecretBox, Does>;

/** The token of such a link. Nothing is stored of it: it opens with the service's own key alone. */
export const emailChangeToken = (secrets: Box<'seal'>, change: EmailChange): string =>
  emailChangePrefix + secrets.seal(JSON.stringify(change), emailChangePurpose);

/** What a token says; null for a text that is none of ours. */
export function readEmailChangeToken(secrets: Box<'open'>, token: string): EmailChange | null {
  if (!token.startsWith(emailChangePrefix)) return null;
  return openedOrNull(() =>
    EmailChange.parse(JSON.parse(secrets.open(token.slice(emailChangePrefix.length), emailChangePurpose))),
  );
}
