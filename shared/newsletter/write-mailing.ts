import { type Kysely, sql } from 'kysely';
import type { PauseReason } from '../contract/features/mailings.ts';
import { preparedStatement } from '../db/client.ts';
import { addJob } from '../db/jobs.ts';
import { type CountChanges, countsAfter, type MailingKey, waitingOf } from '../db/mailing-counts.ts';

interface MailingChanges {
  changes: CountChanges;
  /** Why it stops, if it does; its owners are told. */
  pause: PauseReason | null;
  /** Left as it is when left out. */
  refusedByPolicy?: number;
}

/** Writes what became of copies of a mailing, which the caller has locked. It is sent once nothing of it waits for a moment any more. */
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
