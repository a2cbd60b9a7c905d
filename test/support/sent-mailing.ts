import { randomBytes } from 'node:crypto';
import { newRecordId } from '../../shared/contract/record-id.ts';
import type { MailingSite } from './mailing-site.ts';

interface SentMailing {
  state?: 'accepted' | 'refused' | 'unknown';
  /** Enhanced status code of the mail server. */
  status?: string;
  daysAgo?: number;
  site?: string;
}

/** Inserts a mailing that was sent some time ago, with a recipient per address. Returns their IDs by address. */
export async function sentMailing(
  { run, siteId }: Pick<MailingSite, 'run' | 'siteId'>,
  emails: readonly string[],
  { state = 'accepted', status, daysAgo = 0, site = siteId }: SentMailing = {},
) {
  const id = newRecordId(new Date(), randomBytes);
  await run(
    `insert into mailings (site_id, id, post_id, subject, preheader, audience, on_unknown, status, send_at, frozen_at, prepared_at,
       expected, recipients, queued, sending, retrying, unknown, accepted, refused, skipped, bounced, complained, refused_by_policy,
       refused_before, created, updated)
     select ?, ?, 'p', '', '', '{}', 'repeat', 'sent', at, at, at, n, n, 0, 0, 0, case when s = 'unknown' then n else 0 end,
       case when s = 'accepted' then n else 0 end, case when s = 'refused' then n else 0 end, 0, 0, 0, 0, 0, at, at
     from (select now() - ? * interval '1 day' as at, ?::int as n, ?::text as s) made`,
    [site, id, daysAgo, emails.length, state],
  );
  const copies: Record<string, string> = {};
  for (const email of emails) {
    copies[email] = newRecordId(new Date(), randomBytes);
    await run(
      `insert into mailing_recipients (site_id, mailing_id, subscriber_id, id, email, state, attempts, doubts, reply_status, ended_at)
       values (?, ?, substr(md5(?), 1, 15), ?, ?, ?, 1, 0, ?, now())`,
      [site, id, email, copies[email], email, state, status ?? null],
    );
  }
  return { id, copies, copyOf: (email: string) => copies[email] ?? '' };
}
