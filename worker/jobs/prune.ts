import { type RawBuilder, sql } from 'kysely';
import { purge } from '../../shared/content/trash/trash.ts';
import { signIn } from '../../shared/contract/features/assistants.ts';
import { retentionDays } from '../../shared/contract/limits.ts';
import type { Database } from '../../shared/db/config.ts';
import { dayAfter, dayOf } from '../../shared/db/page-views.ts';

/** Rows of one statement, so that no lock is held for long. */
const batchSize = 5_000;

/**
 * Removes what is past its time: logged events, delivery records with their attempts, ended sessions, codes, challenges, invitations, previews and assistants, the
 * answers of writes that named a key, what the audit log has of more than a year ago, counts of page views of more than
 * two, and what tells which of their labels are kept, once no more views of the day come. What is yet to be delivered
 * stays, however long the worker was away. Raw page views go by whole days, in `roll-up.ts`.
 */
export async function prune(database: Database, now: Date): Promise<void> {
  await deleteInBatches(
    database,
    'events',
    // Events can be asked for up to their time: the minute keeps those for whom that is being committed.
    sql`occurred_at < ${now}::timestamptz - ${retentionDays.events} * interval '1 day' - interval '1 minute' and not awaits_fan_out
      and not exists (
        select from webhook_deliveries d
        where d.due_at is not null and d.site_id = old.site_id and d.event_id = old.id
      ) and not exists (
        select from webhook_deliveries d
        where d.asked_at is not null and d.site_id = old.site_id and d.event_id = old.id
      )`,
  );
  await pruneDeliveries(database, now);
  await deleteInBatches(
    database,
    'audit_log',
    sql`created < ${now}::timestamptz - ${retentionDays.audit} * interval '1 day'`,
  );
  const today = dayOf(now);
  for (const table of ['page_view_days', 'page_view_rollups'])
    await deleteInBatches(database, table, sql`day <= ${dayAfter(today, -retentionDays.viewCounts)}::date`);
  for (const table of ['page_view_labels', 'page_view_label_counts'])
    await deleteInBatches(database, table, sql`day < ${dayAfter(today, -1)}::date`);
  for (const table of [
    'owner_sessions',
    'member_sessions',
    'sign_in_codes',
    'password_resets',
    'invitations',
    'factor_challenges',
    'idempotency_keys',
    'oauth_grants',
  ]) {
    await deleteInBatches(database, table, sql`expires_at <= ${now}`);
  }
  await deleteInBatches(database, 'previews', sql`ends_at <= ${now}`);
  await pruneAssistants(database, now);
}

/** A code that is used again ends what was had by it, so it is remembered for a while. */
async function pruneAssistants(database: Database, now: Date) {
  await deleteInBatches(database, 'oauth_grants', sql`ends_at <= ${now}`);
  await deleteInBatches(database, 'oauth_tokens', sql`expires_at <= ${now}::timestamptz - interval '1 day'`);
  const { unusedClientHours, successorMinutes } = signIn;
  await deleteInBatches(
    database,
    'oauth_clients',
    sql`not is_used and created <= ${now}::timestamptz - ${unusedClientHours} * interval '1 hour'`,
  );
  await sql`update oauth_tokens set successor_sealed = null
    where successor_sealed is not null and replaced_at <= ${now}::timestamptz - ${successorMinutes} * interval '1 minute'`.execute(
    database.em.getKysely(),
  );
}

async function pruneDeliveries(database: Database, now: Date) {
  for (let deleted = batchSize; deleted === batchSize; ) {
    const { rows } = await sql<{ deleted: number }>`
      with gone as (
        delete from webhook_deliveries where ctid in (
          select ctid from webhook_deliveries
          where created < ${now}::timestamptz - ${retentionDays.deliveries} * interval '1 day' and due_at is null and asked_at is null
          limit ${batchSize} for update skip locked
        ) returning site_id, id
      ),
      attempts as (
        delete from webhook_attempts a using gone where a.site_id = gone.site_id and a.delivery_id = gone.id
      )
      select count(*) as deleted from gone`.execute(database.em.getKysely());
    deleted = rows[0]?.deleted ?? 0;
  }
}

/** `condition` is on the table as `old`. */
async function deleteInBatches(database: Database, table: string, condition: RawBuilder<unknown>) {
  for (let deleted = batchSize; deleted === batchSize; ) {
    const { numAffectedRows = 0n } = await sql`
      delete from ${sql.table(table)} where ctid in (
        select ctid from ${sql.table(table)} as old where ${condition} limit ${batchSize} for update skip locked
      )`.execute(database.em.getKysely());
    deleted = Number(numAffectedRows);
  }
}

/** Removes for good what has been in the trash for its time, site by site, a few in each transaction: none is open for long. */
export async function emptyTrash({ em }: Database, now: Date): Promise<void> {
  const where = sql`deleted <= ${new Date(now.getTime() - retentionDays.trash * 86_400_000)}`;
  const { rows: sites } = await sql<{ site_id: string }>`
    select distinct site_id from trash where ${where}`.execute(em.fork().getKysely());
  for (const { site_id: siteId } of sites)
    while ((await em.fork().transactional((em) => purge(em, { siteId, where }))) > 0);
}
