import { sql } from 'kysely';
import { emailChangeHours } from '../shared/contract/features/account.ts';
import type { JobPayload } from '../shared/db/jobs.ts';
import { sendLetter } from '../shared/mail/letter.ts';
import { emailChangeToken } from '../shared/mail/link-tokens.ts';
import type { SecretBox } from '../shared/secret-box.ts';
import { type LetterDeps, studioLink } from './letters.ts';

/**
 * Mails a new address the link by which it becomes that of an account, unless the account was changed since that was asked for.
 * Rejects when the mail isn't taken.
 */
export async function mailEmailChange(
  deps: LetterDeps & { secrets: Pick<SecretBox, 'seal'> },
  { site_id: siteId, person_id, email, updated, expires_at }: JobPayload<'mail_email_change'>,
) {
  const { rows } = await sql`
    select from people p join site_people m on m.person_id = p.id and m.site_id = ${siteId}
    where p.id = ${person_id} and p.updated = ${updated}::timestamptz`.execute(deps.database.em.getKysely());
  if (rows.length === 0) return;
  const token = emailChangeToken(deps.secrets, {
    personId: person_id,
    email,
    updated: new Date(updated),
    endsAt: new Date(expires_at),
  });
  const link = studioLink(deps.publicUrl, 'new-email', token);
  await sendLetter(deps, { kind: 'reset', siteId, to: email }, ({ name }) => ({
    subject: `${name}: confirm your new email address`,
    text: `You asked to sign in to the studio of ${name} with this email address.

Confirm the address here within ${emailChangeHours} hours:
${link}

If you did not ask for this, ignore this message: nothing changes.
`,
    action: { href: link, label: 'Confirm the address' },
  }));
}

/** Tells the old address of an account that it is no longer that. Rejects when the mail isn't taken. */
export const mailEmailChanged = (
  deps: LetterDeps,
  { site_id: siteId, to, email }: JobPayload<'mail_email_changed'>,
) =>
  sendLetter(deps, { kind: 'reset', siteId, to }, ({ name }) => ({
    subject: `${name}: your email address was changed`,
    text: `The email address of your account for the studio of ${name} was changed to ${email}. You can no longer sign in with this address.

If you did not change it, contact the operator of the service immediately.
`,
  }));
