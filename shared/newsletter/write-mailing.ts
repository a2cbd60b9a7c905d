import { type Kysely, sql } from 'kysely';
import type { PauseReason } from '../contract/features/mailings.ts';
import { preparedStatement } from '../db/client.ts';
import { addJob } from '../db/jobs.ts';
import { type CountChanges, countsAfter, type MailingKey, waitingOf } from '../db/mailing-counts.ts';

interface MailingChanges {
  changes: CountChanges;
  /** Reason to pause the mailing, which its owners are notified of; null to continue. */
  pause: PauseReason | null;
  /** New number of policy refusals in a row; unchanged if missing. */
  refusedByPolicy?: number;
}

/**
 * Updates the counts and status of a mailing that the caller has locked. The mailing is `sent` once no recipient is
 * waiting or in flight.
 */
export async function writeMailing(
  db: Kysely<unknown>,
  { site_id, mailing_id }: MailingKey,
  { changes, pause, refusedByPolicy }: MailingChanges,
) {
  if (pause)
    await sql`select ${addJob('tell_owner_of_mailing', { site_id, mailing_id, reason: pause })}`.execute(db);
  await sql`${preparedStatement}
    update mailings m set ${countsAfter(changes)}, updated = clock_timestamp(),
      refused_by_policy = coalesce(${refusedByPolicy ?? null}, m.refused_by_policy),
      status = case when m.status <> 'sending' then m.status when ${pause}::text is not null then 'paused'
        when waiting.is_over then 'sent' else m.status end,
      pause_reason = case when m.status = 'sending' then ${pause} else m.pause_reason end,
      ended_at = case when m.status = 'sending' and ${pause}::text is null and waiting.is_over then clock_timestamp() else m.ended_at end
    from ${waitingOf({ site_id, mailing_id })}
    where m.site_id = ${site_id} and m.id = ${mailing_id}`.execute(db);
}
