import { sql } from 'kysely';
import type { MailingStatus, PauseReason } from '../../shared/contract/features/mailings.ts';
import type { JobPayload } from '../../shared/db/jobs.ts';
import { type LetterDeps, mailOwners } from '../letters.ts';

/** Mails a site's owners why a mailing does not go on; of one that does by now, nobody is told. Rejects when the mail isn't taken. */
export async function notifyOfMailing(
  deps: LetterDeps,
  { site_id, mailing_id, reason }: JobPayload<'tell_owner_of_mailing'>,
) {
  const { rows } = await sql<{ subject: string; status: MailingStatus }>`
    select coalesce(nullif(m.subject, ''), p.title, '') as subject, m.status
    from mailings m left join posts p on p.site_id = m.site_id and p.id = m.post_id
    where m.site_id = ${site_id} and m.id = ${mailing_id} and m.pause_reason = ${reason}`.execute(
    deps.database.em.getKysely(),
  );
  const [mailing] = rows;
  if (!mailing) return;
  const isOver = mailing.status === 'cancelled';
  const link = new URL(`/studio/newsletters/${mailing_id}`, deps.publicUrl).href;
  await mailOwners(deps, site_id, (site) => ({
    subject: `${site}: a newsletter ${isOver ? 'was not sent' : 'is on hold'}`,
    text: `"${mailing.subject}": ${reasons[reason]}

${isOver ? 'Nobody got it. Mail the post again when it is as you want it:' : 'Nothing is lost, and nobody gets it twice: let it go on once that is over:'}
${link}
`,
    action: { href: link, label: 'Look at the newsletter' },
  }));
}

const reasons: Record<PauseReason, string> = {
  by_owner: 'it was paused.',
  post_not_public: "readers can't see its post any more, so it is not mailed.",
  body_not_laid_out: 'its post takes too long to lay out as a mail. A shorter or simpler text helps.',
  relay_away: 'the mail server could not be reached for ten minutes.',
  too_many_refused:
    'more than ten of the first addresses were refused. Are they those of people who subscribed?',
  refused_by_policy:
    'ten copies or more were refused, or came back, for what the mail is, as when it looks like spam.',
};
