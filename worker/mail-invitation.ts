import { sql } from 'kysely';
import { invitationDays } from '../shared/contract/features/people.ts';
import type { RandomBytes } from '../shared/contract/record-id.ts';
import { type Role, roleTexts } from '../shared/contract/roles.ts';
import type { JobPayload } from '../shared/db/jobs.ts';
import { hashSecret } from '../shared/hash-secret.ts';
import { newInvitationToken } from '../shared/invitation.ts';
import { getLetterSite, letterOf } from '../shared/mail/letter.ts';
import type { NotifyOwnerDeps } from './notify-owner.ts';

interface InvitationDeps extends NotifyOwnerDeps {
  randomBytes: RandomBytes;
}

/**
 * Mails whoever was asked to work on a site the link to accept. One that was taken back, accepted or replaced meanwhile is
 * not mailed. Rejects when the mail isn't taken.
 */
export async function mailInvitation(
  { database, mail, publicUrl, randomBytes }: InvitationDeps,
  { site_id, invitation_id, expires_at, by }: JobPayload<'mail_invitation'>,
) {
  const token = newInvitationToken(randomBytes);
  const { rows } = await sql<{ email: string; role: Role; site: string }>`
    update invitations i set token_hash = ${hashSecret(token)} from sites s
    where i.site_id = ${site_id} and i.id = ${invitation_id} and not i.is_used
      and i.expires_at = ${expires_at}::timestamptz and s.id = i.site_id
    returning i.email, i.role, s.name as site`.execute(database.em.getKysely());
  const [invitation] = rows;
  if (!invitation) return;
  const { email, role } = invitation;
  // Somebody chose both, and may have tried to write the mail.
  const [inviter, site] = [by, invitation.site].map((name) => name.replaceAll(/\s+/g, ' '));
  const link = new URL('/studio/invitation', publicUrl);
  // Browsers send nobody what stands after `#`.
  link.hash = token;
  const letter = await letterOf(await getLetterSite(database, site_id), {
    subject: `${site}: you are invited`,
    text: `${inviter} invites you to work on ${site}, as ${role}, who ${roleTexts[role]}.

Accept here within ${invitationDays} days:
${link.href}

If you do not know ${inviter}, ignore this message.
`,
    action: { href: link.href, label: 'Accept the invitation' },
  });
  await mail.send({ kind: 'invitation', siteId: site_id, to: email, ...letter });
}
