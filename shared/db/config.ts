import { Migrator } from '@mikro-orm/migrations';
import { defineConfig, EntityCaseNamingStrategy, MikroORM } from '@mikro-orm/postgresql';
import type pg from 'pg';
import { largeAnswers } from '../contract/limits.ts';
import { Client, typedValues } from './client.ts';
import { entityOptions } from './entity-options.ts';
import { createHoldSite } from './lock.ts';
import { migrations } from './migrations/index.ts';
import { schemasOf, withoutParameters } from './schema.ts';
import { settingsOf } from './session.ts';
import { createRecentSites, createShare } from './shares.ts';
import type { Trouble } from './troubles.ts';
import type { Waits } from './waits.ts';

/** Settings of a connection to the service's PostgreSQL. */
export interface DatabaseOptions {
  url: string;
  /** Most connections this process holds. */
  poolSize: number;
  /** Shown in `pg_stat_activity`. */
  applicationName: string;
  /** Bounds of what this process waits for; as long as it takes when left out, as migrations and operators need it. */
  waits?: Waits | undefined;
  /**
   * Whether PostgreSQL finds rows by an index however small it thinks the table is: for a process that asks for few rows of
   * many, and waits for them. Its statistics are gathered now and then, and can be wrong by any factor meanwhile.
   */
  byIndex?: boolean;
}

/** Opens the database. Connections are made when first needed; the caller closes the result. */
export async function openDatabase(options: DatabaseOptions) {
  const { waits } = options;
  let pool: pg.Pool | undefined;
  const refusals = rememberRefusals();
  // `MikroORM.init` first loads what finds files, and looks for packages that aren't there.
  const orm = new MikroORM(
    defineConfig({
      clientUrl: withoutParameters(options.url),
      ...entityOptions(),
      namingStrategy: EntityCaseNamingStrategy,
      extensions: [Migrator],
      pool: { min: 0, max: options.poolSize },
      driverOptions: {
        Client,
        // With all that the address says, of TLS and of the schema too.
        connectionString: options.url,
        application_name: options.applicationName,
        waits,
        onTrouble: refusals.note,
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
    shares: sharesOf(options),
    holdSite: createHoldSite(options),
    connections: () => countConnections(pool),
    /** Sends a statement straight to `pg`, on a connection of the pool. */
    async rows<Row extends object>(text: string, values: readonly unknown[]): Promise<Row[]> {
      // The pool is made when first asked for.
      orm.em.getConnection().getClient();
      if (!pool) throw new Error('the database connection pool is not open');
      const client = await pool.connect();
      try {
        return (await client.query<Row>(text, [...values])).rows;
      } finally {
        client.release();
      }
    },
    /** Why it lately took no writes; null when it did. */
    lastRefusal: refusals.last,
  });
}

/** How long a refusal says something of the next write. */
const refusalHoldsMs = 30_000;

/** Remembers that writes were refused for want of room, or of leave. */
function rememberRefusals() {
  let last: { trouble: Refusal; at: number } | undefined;
  return {
    note(trouble: Trouble) {
      if (trouble === 'full' || trouble === 'read_only') last = { trouble, at: performance.now() };
    },
    last: (): Refusal | null => (last && performance.now() - last.at < refusalHoldsMs ? last.trouble : null),
  };
}

type Refusal = Extract<Trouble, 'full' | 'read_only'>;

/** The connections of this process, and how many of its queries wait for one. */
const countConnections = (pool: pg.Pool | undefined) => ({
  open: pool?.totalCount ?? 0,
  idle: pool?.idleCount ?? 0,
  waiting: pool?.waitingCount ?? 0,
});

/** The database, and the shares of its pool that heavy work of one site may take. */
export type Database = Awaited<ReturnType<typeof openDatabase>>;

/** The entity manager of a transaction, or one forked for a single statement. */
export type Transaction = Database['em'];

/** Most calls that wait for their turn in one process, of each kind. */
const mostWaiting = 1_000;

/** However much is written and searched, the rest of the pool is left for short reads: two fifths of it, or a quarter of a small one. */
function sharesOf({ poolSize, waits }: DatabaseOptions) {
  const share = (part: number) => Math.max(1, Math.floor(poolSize * part));
  const { readMs = 60_000 } = waits ?? {};
  const recent = createRecentSites();
  const oneOfEachSite = {
    ...{ inAll: share(0.1), perSite: 1, besideOthers: { perSite: 1, recent } },
    ...{ waiting: mostWaiting, waitMs: readMs },
  };
  return {
    recent,
    writes: createShare({
      inAll: share(0.5),
      perSite: share(0.3),
      // One may take long, and is not to hold up all others of its site.
      besideOthers: { perSite: Math.min(2, share(0.3)), recent },
      waiting: mostWaiting,
      waitMs: readMs,
    }),
    searches: createShare(oneOfEachSite),
    // Strangers search, too, and are not to hold up what an owner begins with.
    ownLists: createShare(oneOfEachSite),
    // Each holds a connection for as long as its reader takes.
    largeAnswers: createShare({
      inAll: share(0.2),
      perSite: 1,
      waiting: mostWaiting,
      waitMs: largeAnswers.waitMs,
    }),
  };
}
