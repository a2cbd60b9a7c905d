import { sql } from 'kysely';
import { ApiError } from '../../kernel/api-error.ts';
import { t } from '../../kernel/trpc.ts';

/** Refuses with `webhooks_not_provisioned` while the webhook tables or the job queue are missing. */
export const provisioned = t.procedure
  .meta({ errors: ['webhooks_not_provisioned'] })
  .use(async ({ ctx, next }) => {
    const { rows } = await sql<{ ready: boolean }>`
      select to_regclass('webhook_subscriptions') is not null and to_regclass('webhook_deliveries') is not null
        and to_regclass('webhook_attempts') is not null
        and to_regproc('add_job') is not null as ready`.execute(ctx.deps.database.em.getKysely());
    if (!rows[0]?.ready) throw new ApiError('webhooks_not_provisioned');
    return next();
  });
