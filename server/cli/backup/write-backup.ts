import { readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type pg from 'pg';
import { to as copyTo } from 'pg-copy-streams';
import { storeIdContent, storeIdKey } from '../../../shared/media/identity.ts';
import type { ObjectStore } from '../../../shared/media/store.ts';
import {
  decryptColumn,
  encryptedColumns,
  type SealedRow,
  selectSealed,
} from '../../../shared/runtime/encrypted-columns.ts';
import { nullIfMissing } from '../../../shared/runtime/file-system.ts';
import { createSecretBox } from '../../../shared/runtime/secret-box.ts';
import { isArchive } from './archive-reader.ts';
import { type ArchiveWriter, writeArchive } from './archive-writer.ts';
import { connectToCopy, hasTable, quoted, readMigrations, readPartitions, readTables } from './catalog.ts';
import { type BackupManifest, type MissingFile, paths, type Table } from './contents.ts';
import { addMedia, findStoreId, listRecordedMedia, stillNamed, whyUnavailable } from './media-files.ts';

const pack = promisify(gzip);

/** Bytes of rows that are compressed together; only few of them are in memory. */
const partBytes = 8 * 1024 * 1024;

interface BackupSource {
  databaseUrl: string;
  /** Null to leave the key out. */
  secretKey: string | null;
  /** Null if media are not on this machine. */
  mediaDir: string | null;
  media: ObjectStore;
  onProgress(message: string): void;
}

/**
 * Writes a backup of a running installation from one snapshot: the database as text, which later PostgreSQL versions
 * accept, and then media. Returns the name and size of the file, and the missing media (null if the backup is complete).
 * Throws an `Error` if the database has no tables of this service, or a migration runs in between. Throws an `Error` if the
 * secret key does not match the database, or the local media folder is unavailable.
 *
 * If media files are missing or damaged, or a bucket is unavailable, the file gets another name. `lacking` then lists the
 * files; it is empty for a bucket. It is null for a complete backup.
 */
export async function writeBackup(
  path: string,
  source: BackupSource,
): Promise<{ file: string; bytes: number; lacking: readonly MissingFile[] | null }> {
  let bytes = 0;
  let lacking: readonly MissingFile[] | null = null;
  const file = await writeArchive(path, async (archive) => {
    await using timestamp = await openSnapshot(source.databaseUrl);
    const migrations = await readMigrations(timestamp.client);
    if (!migrations?.length)
      throw new Error('Nothing to back up: the database has no tables of this service.');
    if (source.secretKey !== null) await checkSecretKey(timestamp.client, source.secretKey);
    const storeId = await timestamp.during(findStoreId);
    const unavailable = await whyUnavailable(source.media, storeId);
    if (unavailable && source.mediaDir !== null) throw new Error(`No backup was written: ${unavailable}`);
    const tables = await readTables(timestamp.client);
    const partitions = await readPartitions(timestamp.client);
    if (source.secretKey !== null) await archive.add(paths.secretKey, Buffer.from(`${source.secretKey}\n`));
    for (const table of tables) {
      const rows = await timestamp.during((client) => addTable(archive, client, table));
      if (rows > 0) source.onProgress(`${table.name}: ${rows} rows`);
    }
    // A row is written after its file, and files never change. A file that is deleted during the backup belongs to a
    // deleted row.
    if (source.mediaDir !== null) {
      const media = await timestamp.during(listRecordedMedia);
      if (storeId !== null)
        await archive.add(`${paths.media}${storeIdKey}`, Buffer.from(storeIdContent(storeId)));
      const absent = await stillNamed(timestamp.present, await addMedia(archive, source.mediaDir, media));
      if (absent.length > 0) lacking = absent;
      if (media.length > 0) source.onProgress(`media: ${media.length} files`);
    } else if (unavailable) {
      source.onProgress(`the media store could not be checked, so the backup is partial: ${unavailable}`);
      lacking = [];
    }
    const manifest: BackupManifest = {
      format: 1,
      created: timestamp.taken,
      migrations,
      tables,
      partitions,
      secret_key: source.secretKey !== null,
      media: source.mediaDir === null ? 'elsewhere' : 'included',
      ...(lacking && { lacking: [...lacking] }),
    };
    await archive.add(paths.manifest, Buffer.from(`${JSON.stringify(manifest, null, 2)}\n`));
    await timestamp.refuseIfMigrated(migrations);
    bytes = archive.bytes();
    return lacking ? partialName(path) : path;
  });
  return { file, bytes, lacking };
}

/**
 * Opens a snapshot of the database. Each piece of work is a transaction of its own with that snapshot. So tables are
 * locked only while they are read, and new partitions wait little. All are read-only, so followers of the event log do
 * not wait for them.
 */
async function openSnapshot(databaseUrl: string) {
  const begin = 'begin isolation level repeatable read read only';
  await using stack = new AsyncDisposableStack();
  const client = stack.use(await connectToCopy(databaseUrl, 'backup'));
  const other = stack.use(await connectToCopy(databaseUrl, 'backup'));
  await client.query(begin);
  const { rows } = await client.query<{ snapshot: string; taken: Date }>(
    'select pg_export_snapshot() as snapshot, now() as taken',
  );
  const [first] = rows;
  if (!first) throw new Error('PostgreSQL exported no snapshot');
  const end = stack.move();
  return {
    client,
    taken: first.taken.toISOString(),
    async during<T>(work: (client: pg.Client) => Promise<T>): Promise<T> {
      await other.query(begin);
      await other.query(`set transaction snapshot '${first.snapshot}'`);
      const result = await work(other);
      await other.query('commit');
      return result;
    },
    /** Connection that sees the current database instead of the snapshot; not to be used while `during` runs on it. */
    present: other,
    /** Throws if a migration ran: it may rewrite tables, which then look empty to an older snapshot. */
    async refuseIfMigrated(before: readonly string[]) {
      const now = await readMigrations(other);
      if (now?.length !== before.length)
        throw new Error(
          'The database was migrated during the backup, so no backup was written: run the command again.',
        );
    },
    [Symbol.asyncDispose]: () => end.disposeAsync(),
  };
}

async function addTable(
  archive: ArchiveWriter,
  client: pg.Client,
  { name, columns }: Table,
): Promise<number> {
  const rows = client.query(
    copyTo(`copy (select ${columns.map(quoted).join(', ')} from ${quoted(name)}) to stdout`),
  );
  let number = 0;
  for await (const part of inParts(rows)) {
    number += 1;
    await archive.add(paths.part(name, number), await pack(part));
  }
  return rows.rowCount;
}

async function* inParts(stream: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let waiting: Buffer[] = [];
  let bytes = 0;
  for await (const piece of stream) {
    waiting.push(piece);
    bytes += piece.length;
    if (bytes < partBytes) continue;
    yield Buffer.concat(waiting);
    waiting = [];
    bytes = 0;
  }
  if (bytes > 0) yield Buffer.concat(waiting);
}

/**
 * Checks the secret key, because a backup with a wrong key would look complete but decrypt nothing. Some secrets may
 * belong to a lost key, so one that can be decrypted is enough.
 */
async function checkSecretKey(client: pg.ClientBase, secretKey: string) {
  const box = createSecretBox(secretKey, () => new Uint8Array());
  const shut = new Set<string>();
  for (const secret of encryptedColumns) {
    // A database of an earlier version may lack the table of these secrets.
    if (!(await hasTable(client, secret.table))) continue;
    const { rows } = await client.query<SealedRow>(selectSealed(secret));
    if (rows.some((row) => decryptColumn(box, secret, row) !== null)) return;
    if (rows.length > 0) shut.add(secret.what);
  }
  if (shut.size > 0)
    throw new Error(
      `SECRET_KEY cannot decrypt any of the ${[...shut].join(' and ')}. Set SECRET_KEY to the key of the servers. If that key is lost, use --without-secret-key.`,
    );
}

/** File names that this command chooses: of a backup, of one without some media, and of an interrupted one. */
const ownName = /^(\d{4}-\d\d-\d\d)T(\d\d)(\d\d)(\d\d)Z(?:\.partial)?\.tar(\.[0-9a-f]{8}\.unfinished)?$/;

/**
 * Returns the file of a backup: the given path, or a name with the current time if the path is a folder. `folder` is
 * null for a given path.
 */
export async function fileFor(path: string, now: Date): Promise<{ file: string; folder: string | null }> {
  const found = await stat(path).catch(nullIfMissing);
  if (!found?.isDirectory()) return { file: path, folder: null };
  const name = `${now.toISOString().slice(0, 19).replaceAll(':', '')}Z.tar`;
  return { file: join(path, name), folder: path };
}

const partialName = (file: string) => `${file.replace(/\.tar$/, '')}.partial.tar`;

/**
 * Deletes backups of this command in a folder that are older than `before`, recognized by name and content. Returns
 * their names. To be called only after a complete backup was written.
 */
export async function removeOlder(folder: string, before: Date): Promise<string[]> {
  const removed: string[] = [];
  for (const name of (await readdir(folder)).toSorted()) {
    const [, day, hours, minutes, seconds, unfinished] = ownName.exec(name) ?? [];
    if (day === undefined || new Date(`${day}T${hours}:${minutes}:${seconds}Z`) >= before) continue;
    if (!unfinished && !(await isArchive(join(folder, name)))) continue;
    await rm(join(folder, name));
    removed.push(name);
  }
  return removed;
}
