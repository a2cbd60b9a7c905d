import { randomUUID } from 'node:crypto';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { sql } from 'kysely';
import type { Database } from '../db/config.ts';
import { singleFlight } from '../runtime/single-flight.ts';
import { MediaAwayError, type MediaId, type MediaStore, type ObjectStore, originalKey } from './store.ts';

/** Under which a store says whose it is. */
export const markKey = 'creator-content-store';

/** What a store says that is of the installation with this id. */
export const markOf = (id: string) =>
  `Files of an installation of the Creator Content Service, which knows them by this one: leave it here.\nid: ${id}\n`;

/** The installation that a store says it is of; null when it says nothing, and an empty id when what it says makes no sense. */
export async function readMark(store: ObjectStore): Promise<string | null> {
  const content = await store.get(markKey);
  if (!content) return null;
  const said = await text(content).catch((cause: unknown) => {
    throw new MediaAwayError(`the file ${markKey} cannot be read`, { cause });
  });
  return /^id: ([0-9a-f-]{36})$/m.exec(said)?.[1] ?? '';
}

export async function writeMark(store: ObjectStore, id: string): Promise<void> {
  const mark = Buffer.from(markOf(id));
  await store.put(markKey, Readable.from([mark]), mark.length);
}

/** What the database knows of its store. */
interface Recorded {
  id: string;
  /** Whether the store has had the mark: then it is never made again. */
  marked: boolean;
}

export async function readRecorded({ em }: Database): Promise<Recorded | null> {
  const { rows } = await sql<Recorded>`select id, marked from media_store where only_one`.execute(
    em.getKysely(),
  );
  return rows[0] ?? null;
}

/** The id of the store of this database, made now if it has none. */
export async function recordStore(database: Database): Promise<string> {
  await sql`insert into media_store values (true, ${randomUUID()}, false) on conflict do nothing`.execute(
    database.em.getKysely(),
  );
  const recorded = await readRecorded(database);
  if (!recorded) throw new Error('the id of the media store was not recorded');
  return recorded.id;
}

/** From now on the store is away whenever it lacks the mark. */
export const recordMarked = ({ em }: Database) =>
  sql`update media_store set marked = true where only_one`.execute(em.getKysely());

/** How many files of the database are looked for in a store that may be the wrong one. */
const sampled = 5;

const adopt = 'if it is the right store, run `npx -y pnpm ops media adopt`';

/**
 * Throws `MediaAwayError` unless the store is that of the database. A database that knows of no store yet gets the one that
 * is there, unless that is another's, or has none of the files that the database names.
 */
async function checkIdentity(store: ObjectStore, database: Database): Promise<string> {
  // In this order: another process may make both at this moment, the mark before it is recorded as made.
  const before = await readRecorded(database);
  const mark = await readMark(store);
  const recorded = mark === null || mark === before?.id ? before : await readRecorded(database);
  if (recorded && mark === recorded.id) {
    if (!recorded.marked) await recordMarked(database);
    return recorded.id;
  }
  if (mark !== null) throw new MediaAwayError(`it belongs to another installation; ${adopt}`);
  if (recorded?.marked)
    throw new MediaAwayError(
      `it is not marked as the store of this installation (file ${markKey} missing); check that it is mounted; ${adopt}`,
    );
  if (!recorded && !(await holdsSome(store, database)))
    throw new MediaAwayError(`it contains none of the media files in the database; ${adopt}`);
  const id = await recordStore(database);
  await writeMark(store, id);
  if ((await readMark(store)) !== id)
    throw new MediaAwayError('another installation started to use it at the same time');
  await recordMarked(database);
  return id;
}

/** Asks a store that has the mark for it at the start, before anybody asks for a file: settings may name another place. */
export async function checkMarked({ database, media }: { database: Database; media: MediaStore }) {
  if ((await readRecorded(database))?.marked) await media.check();
}

/** Whether some of the latest files are there, or there are none. */
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
 * The store of an installation: it is written to only while it is known to be that, and what is not found in it is believed
 * only then. What is found needs no question, since no other store has it under that name.
 */
export function ownStore(store: ObjectStore, database: Database): MediaStore {
  let known: string | undefined;
  const check = singleFlight(async () => {
    if (known !== undefined && (await readMark(store)) === known) return;
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
