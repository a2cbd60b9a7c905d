import { randomBytes } from 'node:crypto';
import type { z } from 'zod';
import { checkDatabase } from '../../shared/db/check-database.ts';
import { openDatabase } from '../../shared/db/config.ts';
import { requireMigrated } from '../../shared/db/migrate.ts';
import { openMediaStore } from '../../shared/media/open-store.ts';
import type { MediaStore } from '../../shared/media/store.ts';
import { connectToEmbeddedDatabase } from '../../shared/postgres/embedded.ts';
import { opsSettings } from '../env.ts';
import type { StoreDeps } from '../kernel/deps.ts';

/** What an operator command works on. */
export interface OperatorSession extends StoreDeps {
  databaseUrl: string;
  media: MediaStore;
}

type Work = (session: OperatorSession) => Promise<void>;

/** Runs the work of a command over a database. */
export type Operate = (work: Work) => Promise<void>;

/**
 * Runs commands over the database of DATABASE_URL, or the embedded one in `dataDir`: the one that `pnpm start` has
 * running, else one that runs for the command.
 */
export function createOperate(dataDir: string): Operate {
  return async (work) => {
    await using resources = new AsyncDisposableStack();
    const settings = opsSettings();
    const databaseUrl = settings.DATABASE_URL ?? (await embeddedUrl(dataDir, resources));
    const database = await openDatabase({ url: databaseUrl, poolSize: 2, applicationName: 'ops' });
    resources.defer(() => database.close());
    await checkDatabase(database);
    const media = openMediaStore(settings.MEDIA_URL);
    await work({ database, databaseUrl, media, randomBytes, clock: { now: () => new Date() } });
  };
}

/** The same, for all commands but `migrate`: refuses a database that is behind this version. */
export const whenMigrated =
  (operate: Operate): Operate =>
  (work) =>
    operate(async (session) => {
      await requireMigrated(session.database);
      await work(session);
    });

async function embeddedUrl(dataDir: string, resources: AsyncDisposableStack): Promise<string> {
  const embedded = await connectToEmbeddedDatabase({ dataDir, durable: true, onProgress: console.error });
  resources.defer(() => embedded.stop());
  return embedded.url;
}

/** Input that fits a contract. Throws with every rule that is broken. */
export function checked<T>(contract: z.ZodType<T>, input: unknown): T {
  const result = contract.safeParse(input);
  if (result.success) return result.data;
  throw new Error(result.error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`).join('\n'));
}
