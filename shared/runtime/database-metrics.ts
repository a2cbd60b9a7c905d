import { Gauge, type Registry } from 'prom-client';
import type { Database } from '../db/config.ts';
import { type DeliveryQueue, measureDeliveryQueue } from '../db/delivery-queue.ts';

/** A measurement holds this long, however often it is asked for. */
const holdsMs = 5_000;

/** Shows what the worker has yet to do: a number that grows means that no worker runs. Measured only when asked for. */
export function measureQueue(registry: Registry, database: Database, now = () => performance.now()) {
  let measured: { at: number; queue: Promise<DeliveryQueue> } | undefined;
  const measure = () => {
    if (!measured || now() - measured.at >= holdsMs)
      measured = { at: now(), queue: measureDeliveryQueue(database) };
    return measured.queue;
  };
  new Gauge({
    name: 'webhook_queue_depth',
    help: 'Webhook events to fan out and deliveries with an attempt due',
    registers: [registry],
    // Every process measures the same queue.
    aggregator: 'max',
    async collect() {
      this.set((await measure()).depth);
    },
  });
  new Gauge({
    name: 'webhook_queue_oldest_due_seconds',
    help: 'Time that the oldest due webhook delivery has been waiting, in seconds',
    registers: [registry],
    // Every process measures the same queue.
    aggregator: 'max',
    async collect() {
      this.set((await measure()).oldest_due_seconds);
    },
  });
  new Gauge({
    name: 'webhook_queue_asked',
    help: 'Webhook attempts requested by owners, including replays, that have not started; about 100 per second are made',
    registers: [registry],
    // Every process measures the same queue.
    aggregator: 'max',
    async collect() {
      this.set((await measure()).asked);
    },
  });
}

/** Shows the connections of this process to the database: while any query waits for one, the pool is too small. */
export function measurePool(registry: Registry, { connections }: Database) {
  new Gauge({
    name: 'database_connections',
    help: 'Open database connections, by state (busy, idle)',
    labelNames: ['state'],
    registers: [registry],
    collect() {
      const { open, idle } = connections();
      this.set({ state: 'idle' }, idle);
      this.set({ state: 'busy' }, open - idle);
    },
  });
  new Gauge({
    name: 'database_queries_waiting',
    help: 'Queries and transactions waiting for a database connection',
    registers: [registry],
    collect() {
      this.set(connections().waiting);
    },
  });
}
