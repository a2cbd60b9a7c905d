import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import pg from 'pg';
import { testSecretKey } from './app.ts';
import { runNode, startNode } from './process.ts';

const program = fileURLToPath(new URL('./ops-program.ts', import.meta.url));

/** Creates a folder for backups and restored data. Dispose of it with `await using`. */
export async function makeFolder() {
  const folder = await mkdtemp(path.join(tmpdir(), 'creator-content-backup-'));
  return {
    at: (...names: string[]) => path.join(folder, ...names),
    [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }),
  };
}

interface Installation {
  /** Folder of the secret key and media. */
  dataDir: string;
  /** URL of the database; the one in `dataDir` if omitted. */
  databaseUrl?: string;
  /** Folder of media; the one in `dataDir` if omitted. */
  mediaDir?: string;
  secretKey?: string;
}

const environmentOf = ({
  dataDir,
  databaseUrl = '',
  mediaDir,
  secretKey = testSecretKey,
}: Installation): Record<string, string> => ({
  DATA_DIR: dataDir,
  DATABASE_URL: databaseUrl,
  SECRET_KEY: secretKey,
  ...(mediaDir && { MEDIA_URL: pathToFileURL(mediaDir).href }),
});

/** Runs an operator command and waits for its end. */
export const runOps = (
  command: readonly string[],
  installation: Installation,
  environment: Record<string, string> = {},
) => runNode([program, ...command], { ...environmentOf(installation), ...environment });

/** Starts an operator command, for a test that ends it. */
export const startOps = (command: readonly string[], installation: Installation) =>
  startNode([program, ...command], environmentOf(installation));

/** Returns all rows of tables that survive a crash, by table, in a stable order. */
export async function readRows(databaseUrl: string): Promise<Record<string, unknown[]>> {
  const client = new pg.Client(databaseUrl);
  await client.connect();
  try {
    const tables = await client.query<{ name: string }>(`
      select relname as name from pg_class where relnamespace = 'public'::regnamespace and relkind in ('r', 'p')
        and not relispartition and relpersistence = 'p' and relname <> 'migrations' order by 1`);
    const rows: Record<string, unknown[]> = {};
    for (const { name } of tables.rows) {
      const found = await client.query<{ row: unknown }>(
        `select to_jsonb(t) as row from ${name} t order by to_jsonb(t)::text`,
      );
      rows[name] = found.rows.map(({ row }) => row);
    }
    return rows;
  } finally {
    await client.end();
  }
}
