import type { Command } from 'commander';
import { sql } from 'kysely';
import { scheduledCollections } from '../../../shared/contract/resources/index.ts';
import type { Database } from '../../../shared/db/config.ts';
import { opsSettings } from '../../start/env.ts';
import { readSecret } from '../../start/secret-file.ts';
import { type Operate, wholeNumber } from '../operator-session.ts';
import type { MissingFile } from './contents.ts';
import { installationPaths, refuseOtherFiles, refuseOtherStore, restoreFiles } from './files.ts';
import { type Backup, openBackup } from './open-backup.ts';
import { restoreDatabase } from './restore.ts';
import { fileFor, removeOlder, writeBackup } from './write-backup.ts';

interface Installation {
  operate: Operate;
  /** Folder of the secret key and media, unless settings specify others. */
  dataDir: string;
}

export function addBackup(program: Command, installation: Installation) {
  program
    .command('backup <path>')
    .description(
      'back up the whole installation to a file, or to a new file in a folder; the service keeps running, and the backup contains the secret key',
    )
    .option(
      '--keep-days <number>',
      'afterwards delete backups in the folder that are older than this number of days',
      wholeNumber,
    )
    .option('--without-secret-key', 'omit the secret key, for example because you store it elsewhere')
    .action((path: string, options: BackupOptions) => backUp(installation, path, options));
  program
    .command('restore <file>')
    .description('verify a backup and restore it into an empty installation')
    .option('--check', 'only verify the backup; change nothing')
    .option('--partial', 'restore the backup even if it lacks media files')
    .action((file: string, options: RestoreOptions) => restore(installation, file, options));
}

interface BackupOptions {
  withoutSecretKey?: true;
  keepDays?: number;
}

interface RestoreOptions {
  check?: true;
  partial?: true;
}

async function backUp(
  { operate, dataDir }: Installation,
  path: string,
  { withoutSecretKey, keepDays }: BackupOptions,
) {
  const now = new Date();
  const { file, folder } = await fileFor(path, now);
  if (keepDays !== undefined && folder === null)
    throw new Error(`${path} is not a folder: --keep-days deletes old backups of a folder.`);
  const { SECRET_KEY, MEDIA_URL } = opsSettings();
  const { secretFile, mediaDir, media } = installationPaths(dataDir, MEDIA_URL);
  const secretKey = withoutSecretKey ? null : (SECRET_KEY ?? (await readSecret(secretFile)));
  if (!withoutSecretKey && secretKey === null)
    throw new Error(
      `Secret key not found: set SECRET_KEY, or omit the key with --without-secret-key. Without the key, the encrypted secrets in the backup cannot be decrypted.`,
    );
  let lacking: readonly MissingFile[] | null = null;
  await operate.run(async ({ databaseUrl }) => {
    const written = await writeBackup(file, {
      databaseUrl,
      secretKey,
      mediaDir,
      media,
      onProgress: console.error,
    });
    console.log(`Backup written: ${written.file} (${megabytes(written.bytes)}).`);
    lacking = written.lacking;
  });
  console.log(
    secretKey === null
      ? 'It does not contain the secret key: store the key separately. Without it, encrypted secrets are lost.'
      : 'It contains the secret key, password hashes and email addresses. Restrict access: anyone who can read it can impersonate this installation.',
  );
  if (mediaDir === null)
    console.log('It does not contain media files: back up the bucket at MEDIA_URL separately.');
  if (lacking) throw new Error(`The backup is INCOMPLETE, so no older backup was deleted. ${sumUp(lacking)}`);
  if (keepDays === undefined || folder === null) return;
  for (const name of await removeOlder(folder, new Date(now.getTime() - keepDays * 86_400_000)))
    console.log(`Deleted ${name}.`);
}

const sumUp = (lacking: readonly MissingFile[]) =>
  [
    lacking.length > 0
      ? `Media files missing or damaged: ${lacking.length}`
      : 'The media store was unavailable while it was written.',
    ...lacking.slice(0, 20).map(({ key, why }) => `  ${key} is ${why}`),
    ...(lacking.length > 20 ? ['  …'] : []),
  ].join('\n');

async function restore({ operate, dataDir }: Installation, file: string, { check, partial }: RestoreOptions) {
  const { SECRET_KEY, MEDIA_URL } = opsSettings();
  const paths = installationPaths(dataDir, MEDIA_URL);
  await using backup = await openBackup(file);
  const { lacking } = backup.manifest;
  console.log(`${file} is ${lacking ? 'intact, but lacks media files' : 'complete'}: ${about(backup)}.`);
  if (lacking && !partial) throw new Error(`Use --partial to restore it without them. ${sumUp(lacking)}`);
  if (check) return;
  await refuseOtherFiles(backup, paths, SECRET_KEY);
  let underWay: string | null = null;
  await operate.run(async ({ database, databaseUrl }) => {
    await refuseOtherStore(backup, paths, databaseUrl);
    await restoreDatabase(backup, {
      databaseUrl,
      restoreFiles: () => restoreFiles(backup, paths),
      onProgress: console.error,
    });
    underWay = await findUnderWay(database);
  });
  console.log('Restore complete.');
  if (backup.secretKey !== null && SECRET_KEY === undefined)
    console.log(
      `The secret key was restored to ${paths.secretFile}. Processes that use SECRET_KEY must be given this key.`,
    );
  if (backup.secretKey === null)
    console.log(
      'The backup contains no secret key: set SECRET_KEY to the key of the installation that was backed up.',
    );
  if (backup.manifest.media === 'elsewhere')
    console.log('The backup contains no media files: restore the bucket at MEDIA_URL separately.');
  console.log(
    underWay
      ? `Pending at the time of the backup: ${underWay}. A worker resumes these, so anything sent or published since the backup is done twice. To prevent this, start only the server, cancel them in the studio, and then start the worker.`
      : 'Nothing was pending at the time of the backup: start the server and the worker.',
  );
}

const about = ({ manifest: { created, tables }, archive: { bytes } }: Backup) =>
  `created ${created}, ${tables.length} tables, ${megabytes(bytes)}`;

const megabytes = (bytes: number) => `${(bytes / 1e6).toFixed(1)} MB`;

const drafts = scheduledCollections.map(
  (collection) => sql`select from ${sql.table(collection)} where publish_at is not null`,
);

/** Work that has effects outside the installation, with SQL for the rows that a worker would still process. */
const kinds = [
  [
    'webhook events and deliveries',
    sql`select from events where awaits_fan_out union all select from webhook_deliveries where due_at is not null`,
  ],
  ['newsletters', sql`select from mailings where status in ('scheduled', 'preparing', 'sending')`],
  ['scheduled posts and pages', sql.join(drafts, sql` union all `)],
] as const;

/**
 * Describes the work that a worker resumes when it starts, which another installation with the same rows would do too;
 * null if there is none.
 */
async function findUnderWay({ em }: Database): Promise<string | null> {
  const found: string[] = [];
  for (const [what, rows] of kinds) {
    const counted = await sql<{ count: number }>`select count(*)::int from (${rows}) as r`.execute(
      em.getKysely(),
    );
    const [{ count } = { count: 0 }] = counted.rows;
    if (count > 0) found.push(`${count} ${what}`);
  }
  return found.length > 0 ? found.join(', ') : null;
}
