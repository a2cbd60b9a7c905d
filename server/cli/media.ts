import type { Command } from 'commander';
import { sql } from 'kysely';
import { media as limits } from '../../shared/contract/limits.ts';
import {
  readRecorded,
  readStoreId,
  recordIdentified,
  recordStore,
  writeStoreId,
} from '../../shared/media/identity.ts';
import { keysOf, type MediaId, type ObjectStore, originalKey } from '../../shared/media/store.ts';
import { listSites } from '../accounts/sites/store.ts';
import { hashOf } from './backup/files.ts';
import type { Operate, OperatorSession } from './operator-session.ts';

export function addMedia(program: Command, operate: Operate) {
  const media = program.command('media').description('media store and its files');

  media
    .command('check')
    .description('list media files that are missing from the media store')
    .option('--bytes', 'also read every file and list damaged ones')
    .action(({ bytes = false }: { bytes?: boolean }) =>
      operate.run(async (session) => {
        await session.media.check();
        const { files, lacking } = await compare(session, session.media, bytes);
        const unsized = await listUnsized(session);
        for (const line of [...lacking, ...unsized]) console.log(line);
        if (lacking.length > 0)
          throw new Error(`${lacking.length} of ${files} media files are missing or damaged.`);
        console.log(`All ${files} media files are present.`);
      }),
    );

  media
    .command('resize')
    .description('have the worker make renditions (smaller copies) of images that have none')
    .option('--all', 'make the renditions of all images again, for example because files are missing')
    .action(({ all = false }: { all?: boolean }) =>
      operate.run(async (session) => {
        console.log(
          `Queued ${await requestRenditions(session, all)} images: the worker makes their renditions.`,
        );
      }),
    );

  media
    .command('adopt')
    .description(
      'make the store at MEDIA_URL the media store of this installation, for example after moving it',
    )
    .option(
      '--instead-of <id>',
      'take over a store that belongs to the installation with this id, which then loses access',
    )
    .option('--incomplete', 'adopt the store even if media files are missing from it')
    .action((options: AdoptOptions) => operate.run((session) => adopt(session, options)));
}

async function listUnsized({ database }: OperatorSession): Promise<string[]> {
  const { rows } = await sql<{ site_id: string; id: string; given_up: string }>`
    select site_id, id, given_up from media_to_size where given_up is not null order by site_id, id`.execute(
    database.em.getKysely(),
  );
  return rows.map(({ site_id, id, given_up }) => `${site_id}/${id} has no renditions: it is ${given_up}`);
}

/** Queues images and returns their number. Animations get no renditions, even if they are queued again. */
async function requestRenditions({ database }: OperatorSession, all: boolean): Promise<number> {
  const { rows } = await sql`
    insert into media_to_size (site_id, id, due_at, tries)
    select site_id, id, now(), 0 from media
    where width > ${limits.widths[0]} and (${all} or widths = '{}')
    on conflict (site_id, id) do update set due_at = excluded.due_at, tries = 0, given_up = null returning id`.execute(
    database.em.getKysely(),
  );
  return rows.length;
}

interface AdoptOptions {
  insteadOf?: string;
  incomplete?: boolean;
}

async function adopt(session: OperatorSession, { insteadOf, incomplete = false }: AdoptOptions) {
  const { database, objectStore } = session;
  const [storeId, recorded] = [await readStoreId(objectStore), await readRecorded(database)];
  if (storeId !== null && storeId !== recorded?.id && storeId !== insteadOf)
    throw new Error(
      `The store belongs to another installation (${storeId || 'unreadable id'}). If that installation no longer uses it, run the command again with --instead-of ${storeId || '""'}`,
    );
  const { files, lacking } = await compare(session, objectStore, false);
  if (lacking.length > 0 && !incomplete)
    throw new Error(
      `${lacking.length} of ${files} media files are missing from the store:\n${lacking.slice(0, 20).join('\n')}\nCopy them first, or use --incomplete.`,
    );
  const id = await recordStore(database);
  if (storeId !== id) await writeStoreId(objectStore, id);
  await database.em.fork().transactional(async (em) => {
    for (const site of await listSites(session)) await session.note(em, { siteId: site.id });
  });
  await recordIdentified(database);
  console.log(`Adopted the media store: it has ${files - lacking.length} of ${files} files.`);
}

const batchSize = 500;

/**
 * Looks for all media files of the database, and with `bytes` also reads originals. Returns a line for each missing or
 * damaged file.
 */
async function compare({ database }: OperatorSession, store: ObjectStore, bytes: boolean) {
  const lacking: string[] = [];
  let files = 0;
  for (let last: MediaId = { site_id: '', id: '' }; ; ) {
    const { rows } = await sql<MediaId & { sha256: string; widths: number[] }>`
      select site_id, id, sha256, widths from media where (site_id, id) > (${last.site_id}, ${last.id})
      order by site_id, id limit ${batchSize}`.execute(database.em.getKysely());
    for (const file of rows)
      for (const key of keysOf(file, file.widths)) {
        files += 1;
        const wanted = bytes && key === originalKey(file) ? file.sha256 : null;
        const wrong = await whatIsWrong(store, key, wanted);
        if (wrong) lacking.push(`${key} is ${wrong}`);
      }
    const end = rows.at(-1);
    if (!end) return { files, lacking };
    last = end;
  }
}

async function whatIsWrong(store: ObjectStore, key: string, sha256: string | null) {
  if (sha256 === null) {
    const content = await store.get(key);
    content?.destroy();
    return content ? null : 'missing';
  }
  const found = await hashOf(store, key);
  if (found === null) return 'missing';
  return found === sha256 ? null : 'damaged';
}
