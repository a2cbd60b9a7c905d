import { lstat, mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { OwnMailKind } from '../contract/features/outbox.ts';
import { createdOf, newRecordId, type RandomBytes, recordIdPattern } from '../contract/record-id.ts';
import type { Clock } from '../contract/timestamps.ts';
import { nullIfMissing } from '../runtime/file-system.ts';

/** Maximum number of emails in the outbox, over all sites. */
const maxKeptMails = 1_000;

/**
 * Kind of an email. Anyone who can read a code, reset or invitation can take over an account. A notice is for a site's
 * owners.
 */
const MailKind = z.enum([...OwnMailKind.options, 'code', 'reset', 'invitation', 'notice']);

type MailKind = z.infer<typeof MailKind>;

/** Kind and site of an email. */
export interface MailAbout {
  kind: MailKind;
  siteId: string;
}

export interface StoredMail extends MailAbout {
  id: string;
  created: Date;
  /** Name of the email's file. */
  name: string;
}

/** Folder of emails that are stored instead of sent. Several processes may share it. */
export interface Outbox {
  /**
   * Stores an email as it would be sent, and returns the path of its file. The oldest emails are deleted above the
   * limit.
   */
  keep(about: MailAbout, raw: Buffer): Promise<string>;
  /** Lists all emails, newest first. */
  list(): Promise<StoredMail[]>;
  /** Returns an email as it would be sent; null if it was deleted or is not a regular file. */
  read(mail: StoredMail): Promise<Buffer | null>;
}

/** Creates an outbox. Its folder is created with the first email; before that, the outbox is empty. */
export function createOutbox(
  folder: string,
  { clock, randomBytes }: { clock: Pick<Clock, 'now'>; randomBytes: RandomBytes },
): Outbox {
  return {
    async keep({ kind, siteId }, raw) {
      const name = `${newRecordId(clock.now(), randomBytes)}.${kind}.${siteId}.${ending}`;
      const file = join(folder, name);
      await mkdir(folder, { recursive: true, mode: 0o700 });
      await writeFile(file + unfinished, raw, { flag: 'wx', mode: 0o600 });
      await rename(file + unfinished, file);
      await dropOldest(folder).catch(() => {});
      return file;
    },
    list: async () =>
      (await namesIn(folder))
        .flatMap((name) => readName(name) ?? [])
        .toSorted((a, b) => newestFirst(a.name, b.name)),
    async read({ name }) {
      const file = join(folder, name);
      // `lstat` does not follow symbolic links.
      const found = await lstat(file).catch(nullIfMissing);
      return found?.isFile() ? await readFile(file).catch(nullIfMissing) : null;
    },
  };
}

const ending = 'eml';

/** Suffix of files that are being written. */
const unfinished = '.part';

const RecordId = z.string().regex(recordIdPattern);

/**
 * File name: ID of the email, its kind, ID of its site, and the ending. Only the name decides who may see an email, not its
 * content.
 */
const Name = z.tuple([RecordId, MailKind, RecordId, z.literal(ending)]);

/** Parses a file name. Returns null for files that the outbox did not create. */
function readName(name: string): StoredMail | null {
  const { data } = Name.safeParse(name.split('.'));
  if (!data) return null;
  const [id, kind, siteId] = data;
  return { id, kind, siteId, name, created: createdOf(id) };
}

/** Compares two file names so that the newest email comes first. It has the highest ID. */
const newestFirst = (a: string, b: string) => (a < b ? 1 : -1);

/**
 * Deletes the oldest emails, with unfinished files of dead processes. The caller ignores errors, so that the new email
 * is stored in any case.
 */
async function dropOldest(folder: string) {
  // A file that is being renamed may be listed under both names.
  const names = new Set((await namesIn(folder)).map((name) => name.replace(/\.part$/, '')));
  const old = [...names].filter(readName).toSorted(newestFirst).slice(maxKeptMails);
  const files = old.flatMap((name) => [name, name + unfinished]);
  await Promise.allSettled(files.map((name) => rm(join(folder, name), { force: true })));
}

const namesIn = async (folder: string) => (await readdir(folder).catch(nullIfMissing)) ?? [];
