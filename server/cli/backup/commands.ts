import type { Command } from 'commander';
import { opsSettings } from '../../env.ts';
import { readSecret } from '../../start/secret-file.ts';
import type { Operate } from '../operate.ts';
import { wholeNumber } from '../whole-number.ts';
import { fileFor, removeOlder } from './backup-folder.ts';
import type { Lacking } from './contents.ts';
import { installationPaths, refuseOtherFiles, refuseOtherStore, restoreFiles } from './files.ts';
import { type Backup, openBackup } from './open-backup.ts';
import { restoreDatabase } from './restore.ts';
import { findUnderWay } from './under-way.ts';
import { writeBackup } from './write-backup.ts';

interface Installation {
  operate: Operate;
  /** Holds the secret key and media, where settings don't say otherwise. */
  dataDir: string;
}

/** `pnpm ops backup` and `pnpm ops restore`. */
export function addBackup(program: Command, installation: Installation) {
  program
    .command('backup <path>')
    .description(
      'write all that this installation keeps to a file, or to a new one in a folder, while it runs; the file holds the secret key',
    )
    .option(
      '--keep-days <number>',
      'then remove what this command made in the folder before so many days',
      wholeNumber,
    )
    .option('--without-secret-key', 'leave the secret key out, where it is kept elsewhere')
    .action((path: string, options: BackupOptions) => backUp(installation, path, options));
  program
    .command('restore <file>')
    .description('fill an empty installation with a backup, after all of it has been checked')
    .option('--check', 'only check that the backup is whole')
    .option('--partial', 'restore it though it lacks media')
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
    throw new Error(`${path} is no folder: --keep-days is about the backups of one.`);
  const { SECRET_KEY, MEDIA_URL } = opsSettings();
  const { secretFile, mediaDir, media } = installationPaths(dataDir, MEDIA_URL);
  const secretKey = withoutSecretKey ? null : (SECRET_KEY ?? (await readSecret(secretFile)));
  if (!withoutSecretKey && secretKey === null)
    throw new Error(
      `The secret key is not known: set SECRET_KEY, or leave it out with --without-secret-key. Without it nobody opens the secrets of webhooks.`,
    );
  let lacking: readonly Lacking[] | null = null;
  await operate.run(async ({ databaseUrl }) => {
    const written = await writeBackup(file, {
      databaseUrl,
      secretKey,
      mediaDir,
      media,
      onProgress: console.error,
    });
    console.log(`${written.file} is written: ${megabytes(written.bytes)}.`);
    lacking = written.lacking;
  });
  console.log(
    secretKey === null
      ? 'It does not hold the secret key: keep that apart, or the secrets of webhooks are lost.'
      : 'It holds the secret key, password hashes and addresses of people: whoever can read it can act as this installation.',
  );
  if (mediaDir === null)
    console.log('It does not hold media: they are at MEDIA_URL, and need a backup of their own.');
  if (lacking) throw new Error(`The backup is NOT whole, and no other was removed. ${sumUp(lacking)}`);
  if (keepDays === undefined || folder === null) return;
  for (const name of await removeOlder(folder, new Date(now.getTime() - keepDays * 86_400_000)))
    console.log(`${name} is removed.`);
}

/** What is lacking, of many only the first. */
const sumUp = (lacking: readonly Lacking[]) =>
  [
    lacking.length > 0 ? `It lacks ${lacking.length} files of media:` : 'Media were away when it was made.',
    ...lacking.slice(0, 20).map(({ key, why }) => `  ${key} is ${why}`),
    ...(lacking.length > 20 ? ['  …'] : []),
  ].join('\n');

async function restore({ operate, dataDir }: Installation, file: string, { check, partial }: RestoreOptions) {
  const { SECRET_KEY, MEDIA_URL } = opsSettings();
  const places = installationPaths(dataDir, MEDIA_URL);
  await using backup = await openBackup(file);
  const { lacking } = backup.manifest;
  console.log(`${file} is ${lacking ? 'undamaged, but lacks media' : 'whole'}: ${about(backup)}.`);
  if (lacking && !partial) throw new Error(`To restore it all the same, say --partial. ${sumUp(lacking)}`);
  if (check) return;
  await refuseOtherFiles(backup, places, SECRET_KEY);
  let underWay: string | null = null;
  await operate.run(async ({ database, databaseUrl }) => {
    await refuseOtherStore(backup, places, databaseUrl);
    await restoreDatabase(backup, {
      databaseUrl,
      placeFiles: () => restoreFiles(backup, places),
      onProgress: console.error,
    });
    underWay = await findUnderWay(database);
  });
  console.log('Everything is restored.');
  if (backup.secretKey !== null)
    console.log(
      `The secret key is in ${places.secretFile}: processes that are given SECRET_KEY need that one.`,
    );
  else console.log('The backup holds no secret key: start with the one that it was made with.');
  if (backup.manifest.media === 'elsewhere') console.log('The backup holds no media.');
  if (underWay)
    console.log(
      `A worker goes on with what was under way then: ${underWay}. What has been sent or published since is done twice: see to it with the server alone.`,
    );
}

const about = ({ manifest: { created, tables }, archive: { bytes } }: Backup) =>
  `of ${created}, ${tables.length} tables, ${megabytes(bytes)}`;

const megabytes = (bytes: number) => `${(bytes / 1e6).toFixed(1)} MB`;
