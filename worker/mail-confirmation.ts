import { sql } from 'kysely';
import { newsletter } from '../shared/contract/features/mailings.ts';
import { sitePaths } from '../shared/contract/site-paths.ts';
import type { JobPayload } from '../shared/db/jobs.ts';
import { sendLetter } from '../shared/mail/letter.ts';
import { getMailKey, type MailKeyDeps } from '../shared/newsletter/mail-key.ts';
import { confirmToken } from '../shared/newsletter/mail-tokens.ts';
import { wordsOf } from '../shared/words/words.ts';
import type { LetterDeps } from './letters.ts';

/** Asks somebody whether they want the newsletter of a site, unless that is settled meanwhile. Rejects when the mail isn't taken. */
export async function mailConfirmation(
  deps: LetterDeps & MailKeyDeps,
  { site_id: siteId, subscriber_id, asked_at }: JobPayload<'mail_confirmation'>,
) {
  const { rows } = await sql<{ email: string }>`
    select email from subscribers
    where site_id = ${siteId} and id = ${subscriber_id} and status not in ('active', 'complained')
      and confirm_sent_at = ${asked_at}::timestamptz`.execute(deps.database.em.getKysely());
  const [subscriber] = rows;
  if (!subscriber) return;
  const about = { siteId, subscriberId: subscriber_id, askedAt: new Date(asked_at) };
  const token = confirmToken(await getMailKey(deps, siteId), about);
  const link = new URL(sitePaths.confirm.replace(':token', token), deps.publicUrl).href;
  await sendLetter(deps, { kind: 'confirmation', siteId, to: subscriber.email }, ({ name, language }) => {
    const words = wordsOf(language);
    return {
      subject: words.confirmSubject(name),
      text: words.confirmMail(name, link, newsletter.confirmDays),
      language: words.language,
      action: { href: link, label: words.subscribe },
    };
  });
}
