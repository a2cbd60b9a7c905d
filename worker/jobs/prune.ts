import { type RawBuilder, sql } from 'kysely';
import { purge } from '../../shared/content/trash/trash.ts';
import { signIn } from '../../shared/contract/features/assistants.ts';
import { retentionDays } from '../../shared/contract/limits.ts';
import type { Database } from '../../shared/db/config.ts';
import { dayAfter, dayOf } from '../../shared/db/page-views.ts';

/** Number of rows per statement, so that locks are short. */
const batchSize = 5_000;

/**
 * Deletes rows that are past their retention: events, deliveries with their attempts, sessions, codes, challenges,
 * invitations, previews, assistants' grants and tokens, idempotency keys, audit rows and page view counts.
 *
 * Rows that a pending delivery needs stay, however long the worker was unavailable. Raw page views are deleted by whole
 * days, in `roll-up.ts`. Each run is independent: it deletes batch by batch until nothing expired is left, and an interrupted
 * run is completed by the next one. `now` is the cutoff of `readRetentionCutoff` (`worker/run-worker.ts`): if the clocks of
 * this machine and of the database differ too much, the job fails and nothing is deleted.
 */
export async function prune(database: Database, now: Date): Promise<void> {
  await deleteInBatches(
    database,
    'events',
    // Events can be requested until their retention ends. The extra minute covers requests that are being committed.
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
  await deleteInBatches(
    database,
    'checkouts',
    sql`created < ${now}::timestamptz - ${retentionDays.checkouts} * interval '1 day'`,
  );
  await pruneAssistants(database, now);
}

/**
 * Deletes expired data of assistants. Tokens and authorization codes stay for another day, because their reuse revokes
 * the grant.
 */
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

/** Deletes rows in batches. `condition` refers to the table as `old`. */
async function deleteInBatches(database: Database, table: string, condition: RawBuilder<unknown>) {
  for (let deleted = batchSize; deleted === batchSize; ) {
    const { numAffectedRows = 0n } = await sql`
      delete from ${sql.table(table)} where ctid in (
        select ctid from ${sql.table(table)} as old where ${condition} limit ${batchSize} for update skip locked
      )`.execute(database.em.getKysely());
    deleted = Number(numAffectedRows);
  }
}

/** Purges trash past its retention, site by site, in small transactions. */
export async function emptyTrash({ em }: Database, now: Date): Promise<void> {
  const where = sql`deleted <= ${new Date(now.getTime() - retentionDays.trash * 86_400_000)}`;
  const { rows: sites } = await sql<{ site_id: string }>`
    select distinct site_id from trash where ${where}`.execute(em.fork().getKysely());
  for (const { site_id: siteId } of sites)
    while ((await em.fork().transactional((em) => purge(em, { siteId, where }))) > 0);
}
