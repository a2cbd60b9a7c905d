import type { FastifyInstance } from 'fastify';
import { sql } from 'kysely';
import { findPendingMigrations } from '../../shared/db/migrate.ts';
import { opsCommand } from '../../shared/runtime/ops-command.ts';
import type { DegradedPart, Deps } from '../api/deps.ts';

/** Timeout of the database check, in milliseconds. */
const timeoutMs = 900;

/** Lifetime of the result in milliseconds: the database is queried no more often, whatever the number of requests. */
const holdsMs = 1_000;

type Answer =
  | { status: 'ready'; degraded?: { what: DegradedPart; reason: string }[] }
  | { status: 'not ready'; reason: string };

/**
 * Serves `/healthz`, which reports that the process lives, and `/readyz`, which reports whether reads work: the
 * database answers and is migrated. `/readyz` also lists other failures, which do not take the server out of service.
 */
export function serveHealth(app: FastifyInstance, isReady: Readiness) {
  const config = { isUnencrypted: true };
  app.get('/healthz', { config }, async () => ({ status: 'ok' }));
  app.get('/readyz', { config }, async (_request, reply) => {
    const answer = await isReady();
    return reply.code(answer.status === 'ready' ? 200 : 503).send(answer);
  });
}

/** Checks whether this process can serve reads, and which other parts fail. */
export type Readiness = ReturnType<typeof createReadiness>;

/**
 * Creates the check of `/readyz`. It resolves within `timeoutMs`, never rejects, and has at most one database query
 * running. `not ready` also means that the database did not answer in time.
 */
export function createReadiness(deps: Pick<Deps, 'database' | 'clock' | 'logger' | 'degraded'>) {
  const { clock } = deps;
  let latest: { at: number; answer: Promise<Answer> } | undefined;
  let underWay = false;
  return (): Promise<Answer> => {
    const now = clock.sinceStart();
    if (latest && (underWay || now - latest.at < holdsMs)) return latest.answer;
    underWay = true;
    const reading = readHealth(deps).finally(() => {
      underWay = false;
    });
    latest = { at: now, answer: Promise.race([reading, silence()]) };
    return latest.answer;
  };
}

async function readHealth({
  database,
  logger,
  degraded,
}: Pick<Deps, 'database' | 'logger' | 'degraded'>): Promise<Answer> {
  try {
    const pending = await findPendingMigrations(database);
    if (pending.length > 0)
      return {
        status: 'not ready',
        reason: `pending database migrations: run \`${opsCommand('migrate')}\``,
      };
    const { is_read_only, lacks_standby } = await lookAt(database);
    if (lacks_standby)
      degraded.set(
        'standby',
        'synchronous replication is configured, but no synchronous standby is connected',
      );
    else degraded.delete('standby');
    const parts = new Map(degraded);
    const refusal = is_read_only ? 'read_only' : database.lastRefusal();
    if (refusal) parts.set('writes', refusals[refusal]);
    if (parts.size === 0) return { status: 'ready' };
    return { status: 'ready', degraded: [...parts].map(([what, reason]) => ({ what, reason })) };
  } catch (error) {
    logger.error({ err: error }, 'not ready');
    return noAnswer;
  }
}

const refusals = {
  read_only: 'database is read-only',
  full: 'database disk full',
} as const;

/**
 * Checks for a read-only database and missing standbys. A server that was promoted by hand has no standby names yet:
 * `remote_apply` or `remote_write` shows that one is required. Without the privilege to see other users' activity,
 * `sync_state` is null, and any standby counts.
 */
async function lookAt({ em }: Deps['database']) {
  const { rows } = await sql<{ is_read_only: boolean; lacks_standby: boolean }>`
    select current_setting('transaction_read_only') = 'on' as is_read_only,
      not pg_is_in_recovery() and (
        current_setting('synchronous_standby_names') <> ''
        or current_setting('synchronous_commit') in ('remote_apply', 'remote_write')
      ) and not exists (
        select from pg_stat_replication where coalesce(sync_state, 'sync') in ('sync', 'quorum')
      ) as lacks_standby`.execute(em.getKysely());
  return rows[0] ?? { is_read_only: false, lacks_standby: false };
}

const noAnswer: Answer = { status: 'not ready', reason: 'database unavailable' };

const silence = () =>
  new Promise<Answer>((resolve) => {
    setTimeout(() => resolve(noAnswer), timeoutMs).unref();
  });
