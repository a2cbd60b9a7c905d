import { Counter, type Registry } from 'prom-client';
import type { Database } from '../shared/db/config.ts';
import { measurePool } from '../shared/process/pool-metrics.ts';
import { measureQueue } from '../shared/process/queue-metrics.ts';
import type { AttemptOutcome } from './delivery/outcome.ts';

/** Counts attempts by how they ended, and shows the queue and the connections to the database. */
export function measureDeliveries(registry: Registry, database: Database) {
  const attempts = new Counter({
    name: 'webhook_attempts_total',
    help: 'Delivery attempts by what they made of their delivery',
    labelNames: ['outcome'],
    registers: [registry],
  });
  measurePool(registry, database);
  measureQueue(registry, database);
  return ({ status }: AttemptOutcome) => attempts.inc({ outcome: status });
}
