import { Counter, Gauge, type Registry } from 'prom-client';
import type { Database } from '../shared/db/config.ts';
import { measureDeliveryQueue } from '../shared/db/delivery-queue.ts';
import type { Outcome } from './delivery/outcome.ts';

/** Counts attempts by how they ended, and shows the queue as it is when it is asked for. */
export function measureDeliveries(registry: Registry, database: Database) {
  const attempts = new Counter({
    name: 'webhook_attempts_total',
    help: 'Delivery attempts by what they made of their delivery',
    labelNames: ['outcome'],
    registers: [registry],
  });
  const oldest = new Gauge({
    name: 'webhook_queue_oldest_due_seconds',
    help: 'How long the oldest due delivery has been due',
    registers: [registry],
  });
  new Gauge({
    name: 'webhook_queue_depth',
    help: 'Events to fan out, and deliveries whose next attempt is due',
    registers: [registry],
    async collect() {
      const queue = await measureDeliveryQueue(database);
      this.set(queue.depth);
      oldest.set(queue.oldest_due_seconds);
    },
  });
  return ({ status }: Outcome) => attempts.inc({ outcome: status });
}
