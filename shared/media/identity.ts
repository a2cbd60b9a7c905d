import { randomUUID } from 'node:crypto';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { sql } from 'kysely';
import type { Database } from '../db/config.ts';
import { opsCommand } from '../runtime/ops-command.ts';
import { singleFlight } from '../runtime/single-flight.ts';
import {
  type MediaId,
  type MediaStore,
  MediaUnavailableError,
  type ObjectStore,
  originalKey,
} from './store.ts';

/** Key of the file that identifies the store's installation. */
export const storeIdKey = 'creator-content-store';

/** Returns the content of the file that identifies the media store of an installation. */
export const storeIdContent = (id: string) =>
  `Media of an installation of the Creator Content Service. Do not delete this file: it identifies the installation.\nid: ${id}\n`;

/**
 * Returns the ID of the installation that a store belongs to; null if the file `storeIdKey` is missing, and empty if its
 * content is invalid. Throws `MediaUnavailableError` if the store is unavailable.
 */
export async function readStoreId(store: ObjectStore): Promise<string | null> {
  const content = await store.get(storeIdKey);
  if (!content) return null;
  const said = await text(content).catch((cause: unknown) => {
    throw new MediaUnavailableError(`the file ${storeIdKey} cannot be read`, { cause });
  });
  return /^id: ([0-9a-f-]{36})$/m.exec(said)?.[1] ?? '';
}

export async function writeStoreId(store: ObjectStore, id: string): Promise<void> {
  const foundId = Buffer.from(storeIdContent(id));
  await store.put(storeIdKey, Readable.from([foundId]), foundId.length);
}

/** Record of the media store in the database. */
interface RecordedStore {
  id: string;
  /** True if the store once had the identity file. It is then never created again. */
  marked: boolean;
}

/** Reads the database's record about its media store; null if there is none yet. */
export async function readRecorded({ em }: Database): Promise<RecordedStore | null> {
  const { rows } = await sql<RecordedStore>`select id, marked from media_store where only_one`.execute(
    em.getKysely(),
  );
  return rows[0] ?? null;
}

/** Returns the ID of this database's store, and creates it if missing. */
export async function recordStore(database: Database): Promise<string> {
  await sql`insert into media_store values (true, ${randomUUID()}, false) on conflict do nothing`.execute(
    database.em.getKysely(),
  );
  const recorded = await readRecorded(database);
  if (!recorded) throw new Error('the id of the media store was not recorded');
  return recorded.id;
}

/** Records that the store has the identity file. A store without it counts as unavailable afterwards. */
export const recordIdentified = ({ em }: Database) =>
  sql`update media_store set marked = true where only_one`.execute(em.getKysely());

/** Number of files to look for in a store that may be the wrong one. */
const sampled = 5;

const adopt = `if it is the right store, run \`${opsCommand('media adopt')}\``;

/**
 * Checks that the store belongs to the database, and returns its ID. Throws `MediaUnavailableError` otherwise. A database
 * without a recorded store adopts the given one, unless it belongs to another installation or contains none of the
 * database's files.
 */
async function checkIdentity(store: ObjectStore, database: Database): Promise<string> {
  // The order matters: another process may create both concurrently, first the file, then the record.
  const before = await readRecorded(database);
  const foundId = await readStoreId(store);
  const recorded = foundId === null || foundId === before?.id ? before : await readRecorded(database);
  if (recorded && foundId === recorded.id) {
    if (!recorded.marked) await recordIdentified(database);
    return recorded.id;
  }
  if (foundId !== null) throw new MediaUnavailableError(`it belongs to another installation; ${adopt}`);
  if (recorded?.marked)
    throw new MediaUnavailableError(
      `it is not marked as the store of this installation (file ${storeIdKey} missing); check that it is mounted; ${adopt}`,
    );
  if (!recorded && !(await holdsSome(store, database)))
    throw new MediaUnavailableError(`it contains none of the media files in the database; ${adopt}`);
  const id = await recordStore(database);
  await writeStoreId(store, id);
  if ((await readStoreId(store)) !== id)
    throw new MediaUnavailableError('another installation started to use it at the same time');
  await recordIdentified(database);
  return id;
}

/**
 * Checks an identified store at startup, before the first file is requested, because settings may name another
 * location. Throws `MediaUnavailableError` if the store is unavailable or another one.
 */
export async function checkStoreIdentity({ database, media }: { database: Database; media: MediaStore }) {
  if ((await readRecorded(database))?.marked) await media.check();
}

/** Returns true if the store contains some of the latest files, or if the database has none. */
async function holdsSome(store: ObjectStore, { em }: Database): Promise<boolean> {
  const { rows } = await sql<MediaId>`
    select site_id, id from media order by created desc limit ${sampled}`.execute(em.getKysely());
  for (const file of rows) {
    const content = await store.get(originalKey(file));
    content?.destroy();
    if (content) return true;
  }
  return rows.length === 0;
}

/**
 * Creates the media store of an installation. Before each write, and after a read that found nothing, it checks that the
 * store belongs to the installation. Reads that find a file need no check, because no other store has it under that name.
 * Its functions throw `MediaUnavailableError` if the check fails.
 */
export function ownStore(store: ObjectStore, database: Database): MediaStore {
  let known: string | undefined;
  const check = singleFlight(async () => {
    if (known !== undefined && (await readStoreId(store)) === known) return;
    known = await checkIdentity(store, database);
  });
  return {
    check,
    async put(key, content, bytes) {
      await check();
      await store.put(key, content, bytes);
    },
    async get(key, range) {
      const content = await store.get(key, range);
      if (!content) await check();
      return content;
    },
    async delete(key) {
      await check();
      await store.delete(key);
    },
    async removeUnfinished(before) {
      await check();
      await store.removeUnfinished(before);
    },
  };
}
