import { sql } from 'kysely';
import { invitationDays } from '../shared/contract/features/people.ts';
import type { RandomBytes } from '../shared/contract/record-id.ts';
import { type Role, roleTexts } from '../shared/contract/roles.ts';
import type { JobPayload } from '../shared/db/jobs.ts';
import { sendLetter } from '../shared/mail/letter.ts';
import { newInvitationToken } from '../shared/mail/link-tokens.ts';
import { hashSecret } from '../shared/secret-box.ts';
import { type LetterDeps, studioLink } from './letters.ts';

/**
 * Mails whoever was asked to work on a site the link to accept. One that was taken back, accepted or replaced meanwhile is
 * not mailed. Rejects when the mail isn't taken.
 */
export async function mailInvitation(
  deps: LetterDeps & { randomBytes: RandomBytes },
  { site_id: siteId, invitation_id, expires_at, by }: JobPayload<'mail_invitation'>,
) {
  const token = newInvitationToken(deps.randomBytes);
  const { rows } = await sql<{ email: string; role: Role }>`
    update invitations set token_hash = ${hashSecret(token)}
    where site_id = ${siteId} and id = ${invitation_id} and not is_used and expires_at = ${expires_at}::timestamptz
    returning email, role`.execute(deps.database.em.getKysely());
  const [invitation] = rows;
  if (!invitation) return;
  const { email, role } = invitation;
  const link = studioLink(deps.publicUrl, 'invitation', token);
  await sendLetter(deps, { kind: 'invitation', siteId, to: email }, ({ name }) => {
    // Somebody chose both, and may have tried to write the mail.
    const [inviter, site] = [by, name].map((chosen) => chosen.replaceAll(/\s+/g, ' '));
    return {
      subject: `${site}: you are invited`,
      text: `${inviter} invites you to work on ${site} as ${role} (${roleTexts[role]}).

Accept the invitation here within ${invitationDays} days:
${link}

If you do not know ${inviter}, ignore this message.
`,
      action: { href: link, label: 'Accept the invitation' },
    };
  });
}
