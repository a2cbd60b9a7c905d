import { Migrator } from '@mikro-orm/migrations';
import { defineConfig, EntityCaseNamingStrategy, MikroORM } from '@mikro-orm/postgresql';
import type pg from 'pg';
import { largeAnswers } from '../contract/limits.ts';
import { createHoldSite } from './advisory-lock.ts';
import { Client, typedValues } from './client.ts';
import { createConcurrencyQuota, createRecentSites } from './concurrency-quota.ts';
import type { DatabaseErrorKind } from './database-errors.ts';
import type { Waits } from './database-timeouts.ts';
import { entityOptions } from './entity-options.ts';
import { migrations } from './migrations/index.ts';
import { schemasOf, withoutParameters } from './schema.ts';
import { settingsOf } from './session.ts';

/** Settings of a connection to the service's PostgreSQL. */
export interface DatabaseOptions {
  url: string;
  /** Maximum number of connections of this process. */
  poolSize: number;
  /** Name of this process's connections in `pg_stat_activity`. */
  applicationName: string;
  /** Time limits of this process; unlimited if omitted, as migrations and commands of operators need it. */
  waits?: Waits | undefined;
  /**
   * True if PostgreSQL prefers an index even if it estimates that the table is small. Set it for a process that reads
   * few rows of many and waits for them. Statistics are collected only now and then, and until then an estimate can be
   * wrong by any factor.
   */
  byIndex?: boolean;
}

/** Opens the database. Connections are made when first needed. The caller closes the result. */
export async function openDatabase(options: DatabaseOptions) {
  const { waits } = options;
  let pool: pg.Pool | undefined;
  const refusals = rememberRefusals();
  // `MikroORM.init` would first load code that searches for files and for packages that are not installed.
  const orm = new MikroORM(
    defineConfig({
      clientUrl: withoutParameters(options.url),
      ...entityOptions(),
      namingStrategy: EntityCaseNamingStrategy,
      extensions: [Migrator],
      pool: { min: 0, max: options.poolSize },
      driverOptions: {
        Client,
        // The complete URL, with its TLS and schema parameters.
        connectionString: options.url,
        application_name: options.applicationName,
        waits,
        onDatabaseError: refusals.note,
        settings: settingsOf(options),
        ...(waits && { connectionTimeoutMillis: waits.connectionMs }),
        keepAlive: true,
        onPoolCreated: (created: pg.Pool) => {
          created.options.types = typedValues();
          pool = created;
        },
      },
      ensureDatabase: false,
      migrations: {
        migrationsList: migrations,
        snapshot: false,
        tableName: `${schemasOf(options.url).tables}.migrations`,
        silent: true,
      },
      debug: false,
    }),
  );
  return Object.assign(orm, {
    quotas: createQuotas(options),
    holdSite: createHoldSite(options),
    connections: () => countConnections(pool),
    /** Sends a statement directly to `pg`, on a connection of the pool. */
    async rows<Row extends object>(text: string, values: readonly unknown[]): Promise<Row[]> {
      // MikroORM creates the pool on the first call of `getClient`.
      orm.em.getConnection().getClient();
      if (!pool) throw new Error('the database connection pool is not open');
      const client = await pool.connect();
      try {
        return (await client.query<Row>(text, [...values])).rows;
      } finally {
        client.release();
      }
    },
    /** Reason for which a write was refused in the last 30 seconds; null if none was. */
    lastRefusal: refusals.last,
  });
}

/** Time for which a refusal is reported, in milliseconds. */
const refusalHoldsMs = 30_000;

/** Remembers that a write was refused because the disk is full or the server is read-only. */
function rememberRefusals() {
  let last: { kind: Refusal; at: number } | undefined;
  return {
    note(errorKind: DatabaseErrorKind) {
      if (errorKind === 'full' || errorKind === 'read_only')
        last = { kind: errorKind, at: performance.now() };
    },
    last: (): Refusal | null => (last && performance.now() - last.at < refusalHoldsMs ? last.kind : null),
  };
}

type Refusal = Extract<DatabaseErrorKind, 'full' | 'read_only'>;

/** Numbers of this process's connections, and of its queries that wait for one. */
const countConnections = (pool: pg.Pool | undefined) => ({
  open: pool?.totalCount ?? 0,
  idle: pool?.idleCount ?? 0,
  waiting: pool?.waitingCount ?? 0,
});

/** Database with the concurrency quotas of its pool. */
export type Database = Awaited<ReturnType<typeof openDatabase>>;

/** Entity manager of a transaction, or one forked for a single statement. */
export type Transaction = Database['em'];

/** Maximum number of waiting calls per process, for each quota. */
const maxWaiting = 1_000;

/**
 * Concurrency quotas of the pool. Of 10 or more connections, writes use at most half, large answers a fifth, and searches
 * and lists of owners a tenth each. Each quota has at least one connection. Short reads have no quota.
 */
function createQuotas({ poolSize, waits }: DatabaseOptions) {
  const share = (part: number) => Math.max(1, Math.floor(poolSize * part));
  const { readMs = 60_000 } = waits ?? {};
  const recent = createRecentSites();
  const oneOfEachSite = {
    ...{ inAll: share(0.1), perSite: 1, besideOthers: { perSite: 1, recent } },
    ...{ waiting: maxWaiting, waitMs: readMs },
  };
  return {
    recent,
    writes: createConcurrencyQuota({
      inAll: share(0.5),
      perSite: share(0.3),
      // While other sites write too, a site has two writes at a time. With one, a single slow write would block its others.
      besideOthers: { perSite: Math.min(2, share(0.3)), recent },
      waiting: maxWaiting,
      waitMs: readMs,
    }),
    searches: createConcurrencyQuota(oneOfEachSite),
    // Separate from searches, because visitors search too and could delay the lists with which an owner starts.
    ownLists: createConcurrencyQuota(oneOfEachSite),
    // A large response occupies a connection until its receiver has read it.
    largeAnswers: createConcurrencyQuota({
      inAll: share(0.2),
      perSite: 1,
      waiting: maxWaiting,
      waitMs: largeAnswers.waitMs,
    }),
  };
}
