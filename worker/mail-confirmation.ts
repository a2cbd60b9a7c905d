import { sql } from 'kysely';
import { newsletter } from '../shared/contract/features/mailings.ts';
import { sitePaths } from '../shared/contract/site-paths.ts';
import type { JobPayload } from '../shared/db/jobs.ts';
import { getLetterSite, letterOf } from '../shared/mail/letter.ts';
import { confirmToken } from '../shared/newsletter/confirm-token.ts';
import { getMailKey, type MailKeyDeps } from '../shared/newsletter/mail-key.ts';
import { wordsOf } from '../shared/words/words.ts';
import type { NotifyOwnerDeps } from './notify-owner.ts';

/** Asks somebody whether they want the newsletter of a site, unless that is settled meanwhile. Rejects when the mail isn't taken. */
export async function mailConfirmation(
  { mail, publicUrl, ...deps }: NotifyOwnerDeps & MailKeyDeps,
  { site_id, subscriber_id, asked_at }: JobPayload<'mail_confirmation'>,
) {
  const { rows } = await sql<{ email: string; site: string; language: string }>`
    select s.email, site.name as site, site.language from subscribers s join sites site on site.id = s.site_id
    where s.site_id = ${site_id} and s.id = ${subscriber_id} and s.status not in ('active', 'complained')
      and s.confirm_sent_at = ${asked_at}::timestamptz`.execute(deps.database.em.getKysely());
  const [asked] = rows;
  if (!asked) return;
  const { email, site, language } = asked;
  const about = { siteId: site_id, subscriberId: subscriber_id, askedAt: new Date(asked_at) };
  const token = confirmToken(await getMailKey(deps, site_id), about);
  const link = new URL(sitePaths.confirm.replace(':token', token), publicUrl).href;
  const words = wordsOf(language);
  const letter = await letterOf(await getLetterSite(deps.database, site_id), {
    subject: words.confirmSubject(site),
    text: words.confirmMail(site, link, newsletter.confirmDays),
    language: words.language,
    action: { href: link, label: words.subscribe },
  });
  await mail.send({ kind: 'confirmation', siteId: site_id, to: email, ...letter });
}
