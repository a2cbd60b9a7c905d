import { Gauge, type Registry } from 'prom-client';
import type { Database } from '../db/config.ts';

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
