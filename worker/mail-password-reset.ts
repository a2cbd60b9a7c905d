import { sql } from 'kysely';
import { passwordResetMinutes } from '../shared/contract/features/account.ts';
import type { RandomBytes } from '../shared/contract/record-id.ts';
import type { JobPayload } from '../shared/db/jobs.ts';
import { sendLetter } from '../shared/mail/letter.ts';
import { newResetToken } from '../shared/mail/link-tokens.ts';
import { hashSecret } from '../shared/secret-box.ts';
import { type LetterDeps, studioLink } from './letters.ts';

/**
 * Mails the owner with this address a link by which to choose a new password; the one that was mailed before no longer works.
 * An address that is no owner's gets nothing, and so does who asked again meanwhile, or has another password since. Rejects
 * when the mail isn't taken.
 */
export async function mailPasswordReset(
  deps: LetterDeps & { randomBytes: RandomBytes },
  { email, expires_at }: JobPayload<'mail_password_reset'>,
) {
  const token = newResetToken(deps.randomBytes);
  const { rows } = await sql<{ site_id: string }>`
    with person as (
      select p.id, m.site_id from people p join site_people m on m.person_id = p.id
      where p.email = ${email} order by m.created, m.site_id limit 1
    ),
    kept as (
      insert into password_resets (person_id, token_hash, is_used, expires_at)
      select id, ${hashSecret(token)}, false, ${expires_at}::timestamptz from person
      on conflict (person_id)
      do update set token_hash = excluded.token_hash, is_used = false, expires_at = excluded.expires_at
        where password_resets.expires_at < excluded.expires_at
          or (password_resets.expires_at = excluded.expires_at and not password_resets.is_used)
      returning person_id
    )
    select site_id from person join kept on kept.person_id = person.id`.execute(deps.database.em.getKysely());
  const [owner] = rows;
  if (!owner) return;
  const link = studioLink(deps.publicUrl, 'new-password', token);
  await sendLetter(deps, { kind: 'reset', siteId: owner.site_id, to: email }, ({ name }) => ({
    subject: `${name}: choose a new password`,
    text: `You asked for a new password for the studio of ${name}.

Choose it here within ${passwordResetMinutes} minutes:
${link}

If you did not ask for this, ignore this message: your password does not change.
`,
    action: { href: link, label: 'Choose a new password' },
  }));
}
