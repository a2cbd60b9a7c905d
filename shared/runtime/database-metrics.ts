import { Gauge, type Registry } from 'prom-client';
import type { Database } from '../db/config.ts';
import { type DeliveryQueue, measureDeliveryQueue } from '../db/delivery-queue.ts';

/** Time for which a measurement is reused, in milliseconds. */
const holdsMs = 5_000;

/**
 * Registers metrics of the worker's pending work. A value that keeps growing means that no worker runs. It is measured
 * only when the metrics are read.
 */
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
    // The maximum, not the sum, because every process measures the same queue.
    aggregator: 'max',
    async collect() {
      this.set((await measure()).depth);
    },
  });
  new Gauge({
    name: 'webhook_queue_oldest_due_seconds',
    help: 'Time that the oldest due webhook delivery has been waiting, in seconds',
    registers: [registry],
    // The maximum, not the sum, because every process measures the same queue.
    aggregator: 'max',
    async collect() {
      this.set((await measure()).oldest_due_seconds);
    },
  });
  new Gauge({
    name: 'webhook_queue_asked',
    help: 'Webhook attempts requested by owners, including replays, that have not started; about 100 per second are made',
    registers: [registry],
    // The maximum, not the sum, because every process measures the same queue.
    aggregator: 'max',
    async collect() {
      this.set((await measure()).asked);
    },
  });
}

/**
 * Registers metrics of this process's database connections. If queries regularly wait for one, the pool is too small.
 */
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
