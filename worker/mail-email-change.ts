import { sql } from 'kysely';
import { emailChangeHours } from '../shared/contract/features/account.ts';
import type { JobPayload } from '../shared/db/jobs.ts';
import { emailChangeToken } from '../shared/email-change.ts';
import { getLetterSite, letterOf } from '../shared/mail/letter.ts';
import type { SecretBox } from '../shared/secret-box.ts';
import type { NotifyOwnerDeps } from './notify-owner.ts';

interface EmailChangeDeps extends NotifyOwnerDeps {
  secrets: Pick<SecretBox, 'seal'>;
}

/**
 * Mails a new address the link by which it becomes that of an account, unless the account was changed since that was asked for.
 * Rejects when the mail isn't taken.
 */
export async function mailEmailChange(
  { database, mail, publicUrl, secrets }: EmailChangeDeps,
  { site_id, person_id, email, updated, expires_at }: JobPayload<'mail_email_change'>,
) {
  const { rows } = await sql<{ site: string }>`
    select s.name as site from people p
    join site_people m on m.person_id = p.id and m.site_id = ${site_id} join sites s on s.id = m.site_id
    where p.id = ${person_id} and p.updated = ${updated}::timestamptz`.execute(database.em.getKysely());
  const [person] = rows;
  if (!person) return;
  const link = new URL('/studio/new-email', publicUrl);
  // Browsers send nobody what stands after `#`.
  link.hash = emailChangeToken(secrets, {
    personId: person_id,
    email,
    updated: new Date(updated),
    endsAt: new Date(expires_at),
  });
  const letter = await letterOf(await getLetterSite(database, site_id), {
    subject: `${person.site}: confirm your new address`,
    text: `Somebody, probably you, wants to sign in to the studio of ${person.site} with this address.

Confirm it here within ${emailChangeHours} hours:
${link.href}

If it was not you, ignore this message: nothing changes.
`,
    action: { href: link.href, label: 'Confirm the address' },
  });
  await mail.send({ kind: 'reset', siteId: site_id, to: email, ...letter });
}

/** Tells the old address of an account that it is no longer that. Rejects when the mail isn't taken. */
export async function mailEmailChanged(
  { database, mail }: NotifyOwnerDeps,
  { site_id, to, email }: JobPayload<'mail_email_changed'>,
) {
  const site = await getLetterSite(database, site_id);
  const letter = await letterOf(site, {
    subject: `${site.name}: your address was changed`,
    text: `You now sign in to the studio of ${site.name} with ${email}, no longer with this address.

If it was not you, tell whoever runs the service at once.
`,
  });
  await mail.send({ kind: 'reset', siteId: site_id, to, ...letter });
}
