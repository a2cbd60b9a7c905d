import type { Command } from 'commander';
import { opsSettings } from '../../env.ts';
import { readSecret } from '../../start/kept-secret.ts';
import type { Operate } from '../operate.ts';
import { placeFiles, placesOf, refuseOtherFiles } from './files.ts';
import { type Backup, openBackup } from './open-backup.ts';
import { restoreDatabase } from './restore.ts';
import { writeBackup } from './write-backup.ts';

interface Installation {
  operate: Operate;
  /** Holds the secret key and media, where settings don't say otherwise. */
  dataDir: string;
}

/** `pnpm ops backup` and `pnpm ops restore`. */
export function addBackup(program: Command, installation: Installation) {
  program
    .command('backup <file>')
    .description(
      'write all that this installation keeps to a file, while it runs; the file holds the secret key',
    )
    .option('--without-secret-key', 'leave the secret key out, where it is kept elsewhere')
    .action((file: string, options: { withoutSecretKey?: true }) => backUp(installation, file, options));
  program
    .command('restore <file>')
    .description('fill an empty installation with a backup, after all of it has been checked')
    .option('--check', 'only check that the backup is whole')
    .action((file: string, options: { check?: true }) => restore(installation, file, options));
}

async function backUp(
  { operate, dataDir }: Installation,
  file: string,
  { withoutSecretKey }: { withoutSecretKey?: true },
) {
  const { SECRET_KEY, MEDIA_URL } = opsSettings();
  const { secretFile, mediaDir } = placesOf(dataDir, MEDIA_URL);
  const secretKey = withoutSecretKey ? null : (SECRET_KEY ?? (await readSecret(secretFile)));
  if (!withoutSecretKey && secretKey === null)
    throw new Error(
      `The secret key is not known: set SECRET_KEY, or leave it out with --without-secret-key. Without it nobody opens the secrets of webhooks.`,
    );
  await operate.run(async ({ databaseUrl }) => {
    const { bytes } = await writeBackup(file, {
      databaseUrl,
      secretKey,
      mediaDir,
      onProgress: console.error,
    });
    console.log(`${file} is written: ${megabytes(bytes)}.`);
  });
  console.log(
    secretKey === null
      ? 'It does not hold the secret key: keep that apart, or the secrets of webhooks are lost.'
      : 'It holds the secret key, password hashes and addresses of people: whoever can read it can act as this installation.',
  );
  if (mediaDir === null)
    console.log('It does not hold media: they are at MEDIA_URL, and need a backup of their own.');
}

async function restore({ operate, dataDir }: Installation, file: string, { check }: { check?: true }) {
  const { SECRET_KEY, MEDIA_URL } = opsSettings();
  const places = placesOf(dataDir, MEDIA_URL);
  await using backup = await openBackup(file);
  console.log(`${file} is whole: ${about(backup)}.`);
  if (check) return;
  await refuseOtherFiles(backup, places, SECRET_KEY);
  await operate.run(({ databaseUrl }) =>
    restoreDatabase(backup, {
      databaseUrl,
      placeFiles: () => placeFiles(backup, places),
      onProgress: console.error,
    }),
  );
  console.log('Everything is restored.');
  if (backup.secretKey !== null)
    console.log(
      `The secret key is in ${places.secretFile}: processes that are given SECRET_KEY need that one.`,
    );
  else console.log('The backup holds no secret key: start with the one that it was made with.');
  if (backup.manifest.media === 'elsewhere') console.log('The backup holds no media.');
}

const about = ({ manifest: { created, tables }, archive: { bytes } }: Backup) =>
  `of ${created}, ${tables.length} tables, ${megabytes(bytes)}`;

const megabytes = (bytes: number) => `${(bytes / 1e6).toFixed(1)} MB`;
