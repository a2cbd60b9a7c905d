import { type Command, Option } from 'commander';
import { sql } from 'kysely';
import { DeliveryStatus } from '../../shared/contract/features/webhooks.ts';
import type { Database } from '../../shared/db/config.ts';
import { measureDeliveryQueue, nextAttemptAt } from '../../shared/db/delivery-queue.ts';
import type { Operate } from './operate.ts';
import { table } from './table.ts';
import { wholeNumber } from './whole-number.ts';

interface DeliveryOptions {
  limit: number;
  status?: DeliveryStatus;
}

/** `pnpm ops deliveries`. */
export function addDeliveries(program: Command, operate: Operate) {
  program
    .command('deliveries')
    .description('show the webhook queue and the latest deliveries of all sites, newest first')
    .option('--limit <number>', 'maximum number of deliveries to list', wholeNumber, 20)
    .addOption(
      new Option('--status <status>', 'only deliveries with this status').choices(DeliveryStatus.options),
    )
    .action((options: DeliveryOptions) =>
      operate.run(async ({ database }) => {
        const { depth, oldest_due_seconds, asked } = await measureDeliveryQueue(database);
        console.log(
          `Due: ${depth}, the oldest for ${oldest_due_seconds.toFixed(1)} s; requested by owners: ${asked}\n`,
        );
        console.log(table(await listLatest(database, options)));
      }),
    );
}

async function listLatest(database: Database, { limit, status }: DeliveryOptions) {
  const { rows } = await sql<Record<string, unknown>>`
    select d.created, d.id, d.event, d.status, d.attempt_count as attempts, d.last_status_code as answer, d.error,
      ${nextAttemptAt} as next_attempt, s.url
    from webhook_deliveries d
    left join webhook_subscriptions s on s.site_id = d.site_id and s.id = d.subscription_id
    ${status ? sql`where d.status = ${status}` : sql``}
    order by d.created desc, d.id desc limit ${limit}`.execute(database.em.getKysely());
  return rows;
}
