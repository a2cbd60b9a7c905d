import { sql } from 'kysely';
import { Counter, Gauge, type Registry } from 'prom-client';
import type { Database } from '../shared/db/config.ts';
import { measurePool, measureQueue } from '../shared/runtime/database-metrics.ts';
import type { AttemptOutcome } from './deliveries/outcome.ts';
import type { Outcome } from './newsletters/relay.ts';

/**
 * Registers metrics of webhook attempts by outcome, of the queue, and of database connections. Returns a function that
 * counts an attempt.
 */
export function measureDeliveries(registry: Registry, database: Database) {
  const attempts = new Counter({
    name: 'webhook_attempts_total',
    help: 'Webhook attempts by outcome: the status of the delivery after the attempt',
    labelNames: ['outcome'],
    registers: [registry],
  });
  measurePool(registry, database);
  measureQueue(registry, database);
  return ({ status }: AttemptOutcome) => attempts.inc({ outcome: status });
}

/**
 * Registers metrics of newsletter emails: attempts by outcome, including those of dead workers, and the longest waiting
 * time. Returns a function that counts attempts.
 */
export function measureMailings(registry: Registry, { em }: Database) {
  const attempts = new Counter({
    name: 'mailing_attempts_total',
    help: 'Attempts to send a newsletter email to the mail server, by outcome; unknown: the connection broke before the server answered',
    labelNames: ['outcome'],
    registers: [registry],
  });
  new Gauge({
    name: 'mailing_oldest_waiting_seconds',
    help: 'Time that the oldest due newsletter email has been waiting, in seconds',
    registers: [registry],
    async collect() {
      const { rows } = await sql<{ seconds: number }>`
        select coalesce(max(extract(epoch from now() - waiting.due_at)), 0)::float8 as seconds
        from mailings m cross join lateral (
          select due_at from mailing_recipients r where r.site_id = m.site_id and r.mailing_id = m.id and r.due_at <= now()
          order by r.due_at limit 1
        ) waiting where m.status = 'sending'`.execute(em.getKysely());
      this.set(rows[0]?.seconds ?? 0);
    },
  });
  return (outcome: Outcome['kind'], count = 1) => attempts.inc({ outcome }, count);
}
