import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import { InvalidArgumentError } from 'commander';
import type { z } from 'zod';
import type { Actor } from '../../shared/contract/history.ts';
import { systemClock } from '../../shared/contract/timestamps.ts';
import { explainIssue } from '../../shared/contract/validation-messages.ts';
import { checkDatabase } from '../../shared/db/check-database.ts';
import { openDatabase, type Transaction } from '../../shared/db/config.ts';
import { openDatabaseClock } from '../../shared/db/database-clock.ts';
import { requireMigrated } from '../../shared/db/migrate.ts';
import { inSchema } from '../../shared/db/schema.ts';
import { ownStore } from '../../shared/media/identity.ts';
import { openObjectStore } from '../../shared/media/open-store.ts';
import type { MediaStore, ObjectStore } from '../../shared/media/store.ts';
import { connectToEmbeddedDatabase } from '../../shared/postgres/index.ts';
import { createSecretBox, type SecretBox } from '../../shared/runtime/secret-box.ts';
import { createDnsLookup, type TargetRule } from '../../shared/webhooks/index.ts';
import { type AuditEntry, writeEntry } from '../api/calls/audit.ts';
import type { StoreDeps } from '../api/deps.ts';
import type { ThreadPool } from '../api/thread-pool.ts';
import { inTransaction, joined } from '../api/transaction.ts';
import { opsSettings } from '../start/env.ts';
import { readSecret } from '../start/secret-file.ts';
import { createThreadPool } from '../threads/thread-pool.ts';

export interface OperatorSession extends StoreDeps {
  databaseUrl: string;
  secrets: SecretBox;
  media: MediaStore;
  threadPool: ThreadPool;
  /** Media store, without the check that it belongs to this installation. */
  objectStore: ObjectStore;
  /** Rule for addresses that imports may fetch from. */
  addresses: TargetRule;
  /** Origin of the service; null if unknown. */
  publicUrl: URL | null;
  operator: Actor;
  /** Writes an entry in the audit log of a site, in the transaction `em`. */
  note(em: Transaction, about: Omit<AuditEntry, 'actor' | 'action'>): Promise<void>;
}

interface CommandResult {
  recordId?: string;
  changed?: string[];
  message: string;
}

export interface Operate {
  /** Runs a command that only reads, or that writes its own audit entries because it does not fit in a transaction. */
  run(work: (session: OperatorSession) => Promise<void>): Promise<void>;
  /** Runs a command that changes the site that `find` returns, in one transaction with its audit entry. */
  change(
    find: (session: OperatorSession) => Promise<string>,
    work: (session: OperatorSession, siteId: string) => Promise<CommandResult>,
  ): Promise<void>;
}

/**
 * Runs commands over the database of DATABASE_URL, or the embedded one in `dataDir`, which is started if it is not
 * running. Media are in `dataDir` too, unless MEDIA_URL is set. `commandName` returns the name of the running command.
 */
export function createOperate(dataDir: string, commandName: () => string): Operate {
  const run: Operate['run'] = async (work) => {
    await using resources = new AsyncDisposableStack();
    const settings = opsSettings();
    const address =
      settings.DATABASE_URL ?? (await embeddedUrl(dataDir, resources, commandName() === 'restore'));
    const databaseUrl = inSchema(address, settings.DATABASE_SCHEMA);
    await checkDatabase(databaseUrl, { warn: console.error });
    const database = await openDatabase({ url: databaseUrl, poolSize: 2, applicationName: 'ops' });
    resources.defer(() => database.close());
    const objectStore = openObjectStore(settings.MEDIA_URL ?? join(dataDir, 'media'));
    const media = ownStore(objectStore, database);
    const clock = resources.use(
      await openDatabaseClock({
        ...{ database, own: systemClock },
        noteApart: ({ own, theirs }) =>
          console.error(
            `Clock skew: this machine ${own.toISOString()}, database ${theirs.toISOString()}. The database's clock is used.`,
          ),
      }),
    );
    const deps = { database, randomBytes, clock };
    const threadPool = resources.use(createThreadPool());
    const name = accountName();
    const operator: Actor = { kind: 'operator', id: name, name };
    const action = `ops.${commandName()}`;
    const note: OperatorSession['note'] = (em, about) =>
      writeEntry(em, deps, { ...about, actor: operator, action });
    const addresses = { lookup: createDnsLookup(), allowCidrs: settings.WEBHOOK_ALLOW_CIDRS };
    const secrets = openSecrets(settings.SECRET_KEY ?? (await readSecret(join(dataDir, 'secret-key'))));
    const publicUrl = settings.PUBLIC_URL ?? null;
    await work({
      ...deps,
      databaseUrl,
      secrets,
      media,
      threadPool,
      objectStore,
      addresses,
      publicUrl,
      operator,
      note,
    });
  };
  return withChanges(run);
}

/** Creates the secret box. Without a key, using it throws; few commands need it. */
function openSecrets(secretKey: string | null): SecretBox {
  if (secretKey !== null) return createSecretBox(secretKey, randomBytes);
  const refuse = () => {
    throw new Error('Secret key not found: set SECRET_KEY to the key of the servers.');
  };
  return { seal: refuse, open: refuse, fingerprint: refuse, sign: refuse };
}

/** Returns an `Operate` whose commands fail if the database has pending migrations. All commands except `migrate` use it. */
export const whenMigrated = ({ run }: Operate): Operate =>
  withChanges((work) =>
    run(async (session) => {
      await requireMigrated(session.database, { warn: console.error });
      await work(session);
    }),
  );

const withChanges = (run: Operate['run']): Operate => ({
  run,
  change: (find, work) =>
    run(async (session) => {
      const siteId = await find(session);
      const { message } = await inTransaction(session, siteId, async (em) => {
        const done = await work(joined(session, siteId, em), siteId);
        await session.note(em, { siteId, ...done });
        return done;
      });
      console.log(message);
    }),
});

async function embeddedUrl(dataDir: string, resources: AsyncDisposableStack, mayMake: boolean) {
  const folder = join(dataDir, 'postgres');
  const note = join(dataDir, 'postgres-made');
  // If DATABASE_URL was forgotten, the command must not create another installation here.
  if (!mayMake && !existsSync(folder) && !existsSync(note))
    throw new Error(
      `No database found in ${folder}: set DATABASE_URL to the database of the servers. In a checkout, \`npx -y pnpm start\` creates one here.`,
    );
  const embedded = await connectToEmbeddedDatabase({
    ...{ dataDir: folder, note },
    durable: true,
    onProgress: console.error,
  });
  resources.defer(() => embedded.stop());
  return embedded.url;
}

/**
 * Parses input by a contract; `name` is for a value that is not an object. Throws an error that lists every broken
 * rule.
 */
export function checked<T>(contract: z.ZodType<T>, input: unknown, ...name: string[]): T {
  const result = contract.safeParse(input, { error: explainIssue });
  if (result.success) return result.data;
  throw new Error(
    result.error.issues.map(({ path, message }) => `${[...name, ...path].join('.')}: ${message}`).join('\n'),
  );
}

/**
 * Returns the name of the user who runs the command. For a user without an account, as in containers, returns `user` and the
 * numeric ID.
 */
function accountName(): string {
  try {
    return userInfo().username;
  } catch {
    return `user ${process.getuid?.()}`;
  }
}

/** Parses an option that is a number from 1 to 9999. Throws `InvalidArgumentError` for other text. */
export function wholeNumber(text: string): number {
  if (!/^[1-9]\d{0,3}$/.test(text)) throw new InvalidArgumentError('Expected a number from 1 to 9999.');
  return Number(text);
}
