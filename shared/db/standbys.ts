import {
  type Dialect,
  Kysely,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
  sql,
} from 'kysely';
import { LRUCache } from 'lru-cache';
import type { Database } from './config.ts';
import { settingsOf } from './session.ts';
import { openStandby, type Standby } from './standby.ts';
import { standbyWaits } from './standby-connections.ts';
import type { Seen } from './wal-position.ts';

export interface Standbys extends AsyncDisposable {
  /** The database as somebody reads from it who saw that much, whichever server answers. */
  reading(seen: Seen): Database;
}

interface StandbysOptions {
  database: Database;
  urls: readonly string[];
  /** Most connections to each. */
  poolSize: number;
  logger: { warn(about: object, message: string): void };
  /** Told of each statement that could go to a standby. */
  onRead(from: 'standby' | 'primary'): void;
}

/** What didn't answer so many times in a row is asked only beside what is asked: each time costs who waits for it. */
const mostFailures = 10;

/** How often one that was passed over is tried again, beside what is asked. */
const triesAgainMs = 1_000;

/** Standbys of the database to read from. Throws with what to do where nobody could tell what they have. */
export async function openStandbys({
  database,
  urls,
  poolSize,
  logger,
  onRead,
}: StandbysOptions): Promise<Standbys> {
  const system = await examine(database);
  const standbys = urls.map((url) => {
    const { host } = new URL(url);
    const onAway = (err: Error) => logger.warn({ err, standby: host }, 'a standby is not read for now');
    const settings = settingsOf({ waits: standbyWaits, byIndex: true });
    return { failures: 0, triedAtMs: 0, ...openStandby({ url, poolSize, settings, system, onAway }) };
  });
  type One = (typeof standbys)[number];
  let turn = 0;
  // Statements that took too long there, which would be done twice each time.
  const slow = new LRUCache<string, true>({ max: 500, ttl: 60_000 });

  async function readFrom<Row extends object>(one: One, seen: Seen, statement: Statement) {
    one.triedAtMs = performance.now();
    const rows = await one.read<Row>(seen, statement, () => slow.set(statement.text, true));
    one.failures = rows ? 0 : one.failures + 1;
    return rows;
  }

  /** In turn, those first that answered when they were asked last. */
  function next(): One | undefined {
    turn += 1;
    let best: One | undefined;
    for (let n = 0; n < standbys.length; n++) {
      const one = standbys[(turn + n) % standbys.length];
      if (!one) continue;
      if (!one.isReady()) one.open();
      else if (one.failures < (best?.failures ?? mostFailures)) best = one;
    }
    return best;
  }

  function tryAgain(seen: Seen) {
    const since = performance.now() - triesAgainMs;
    for (const one of standbys)
      if (one.failures > 0 && one.triedAtMs < since && one.isReady())
        readFrom(one, seen, { text: 'select 1', values: [] });
  }

  return {
    reading(seen) {
      const rows: Database['rows'] = async <Row extends object>(text: string, values: readonly unknown[]) => {
        const one = slow.has(text) ? undefined : next();
        const found = one && (await readFrom<Row>(one, seen, { text, values }));
        tryAgain(seen);
        onRead(found ? 'standby' : 'primary');
        return found ?? database.rows<Row>(text, values);
      };
      const kysely = new Kysely({ dialect: dialectOf(rows) });
      const em = Object.assign(database.em.fork(), { getKysely: () => kysely });
      return Object.create(database, { em: { value: em }, rows: { value: rows } });
    },
    async [Symbol.asyncDispose]() {
      await Promise.all(standbys.map((one) => one.close()));
    },
  };
}

type Statement = Parameters<Standby['read']>[1];

/** What tells its standbys from others. */
async function examine({ em }: Database): Promise<string> {
  const { rows } = await sql<{ system: string; commits: string }>`
    select system_identifier::text as system, current_setting('synchronous_commit') as commits
    from pg_control_system()`.execute(em.getKysely());
  const [found] = rows;
  if (!found || found.commits === 'off')
    throw new Error(
      'DATABASE_READ_URLS: with synchronous_commit = off, writes are seen before the log has them, and nobody can tell whether a standby does. Set it to on, or leave DATABASE_READ_URLS out.',
    );
  return found.system;
}

/** For queries that are built, and sent by `rows` one by one. */
function dialectOf(rows: Database['rows']): Dialect {
  const refuse = () => Promise.reject(new Error('what is read from standbys takes no transaction'));
  const connection = {
    executeQuery: async <Row>({
      sql: text,
      parameters,
    }: {
      sql: string;
      parameters: readonly unknown[];
    }) => ({
      // The query builder knows the row's type, which is some object.
      rows: (await rows<object>(text, parameters)) as Row[],
    }),
    streamQuery: () => {
      throw new Error('what is read from standbys is not streamed');
    },
  };
  return {
    createAdapter: () => new PostgresAdapter(),
    createQueryCompiler: () => new PostgresQueryCompiler(),
    createIntrospector: (db) => new PostgresIntrospector(db),
    createDriver: () => ({
      init: async () => {},
      acquireConnection: async () => connection,
      beginTransaction: refuse,
      commitTransaction: refuse,
      rollbackTransaction: refuse,
      releaseConnection: async () => {},
      destroy: async () => {},
    }),
  };
}
