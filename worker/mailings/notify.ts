import { sql } from 'kysely';
import type { MailingStatus, PauseReason } from '../../shared/contract/features/mailings.ts';
import type { JobPayload } from '../../shared/db/jobs.ts';
import { getLetterSite, letterOf } from '../../shared/mail/letter.ts';
import type { NotifyOwnerDeps } from '../notify-owner.ts';

interface Notice {
  site: string;
  /** Addresses of the site's owners. */
  owners: string[];
  subject: string;
  status: MailingStatus;
}

/** Mails a site's owners why a mailing does not go on; of one that does by now, nobody is told. Rejects when the mail isn't taken. */
export async function notifyOfMailing(
  { database, mail, publicUrl }: NotifyOwnerDeps,
  { site_id, mailing_id, reason }: JobPayload<'tell_owner_of_mailing'>,
) {
  const { rows } = await sql<Notice>`
    select site.name as site, coalesce(nullif(m.subject, ''), p.title, '') as subject, m.status,
      array(
        select p.email from site_people m join people p on p.id = m.person_id
        where m.site_id = site.id and m.role = 'owner' order by m.created, p.id
      ) as owners
    from mailings m join sites site on site.id = m.site_id left join posts p on p.site_id = m.site_id and p.id = m.post_id
    where m.site_id = ${site_id} and m.id = ${mailing_id} and m.pause_reason = ${reason}`.execute(
    database.em.getKysely(),
  );
  const [told] = rows;
  if (!told || told.owners.length === 0) return;
  const isOver = told.status === 'cancelled';
  const where = new URL(`/studio/newsletters/${mailing_id}`, publicUrl).href;
  const letter = await letterOf(await getLetterSite(database, site_id), {
    subject: `${told.site}: a newsletter ${isOver ? 'was not sent' : 'is on hold'}`,
    text: `"${told.subject}": ${reasons[reason]}

${isOver ? 'Nobody got it. Mail the post again when it is as you want it:' : 'Nothing is lost, and nobody gets it twice: let it go on once that is over:'}
${where}
`,
    action: { href: where, label: 'Look at the newsletter' },
  });
  await mail.send({ kind: 'notice', siteId: site_id, to: told.owners, ...letter });
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
