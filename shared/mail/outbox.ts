import { lstat, mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { OwnMailKind } from '../contract/features/outbox.ts';
import type { Clock } from '../contract/moments.ts';
import { createdOf, newRecordId, type RandomBytes, recordIdPattern } from '../contract/record-id.ts';
import { nullIfMissing } from '../runtime/file-system.ts';

/** Mails that are kept where no mail server takes them, of all sites together. */
const mostMailsKept = 1_000;

/** What a mail is. Whoever reads a code, a reset or an invitation can take an account by it; a notice is for a site's owners. */
const MailKind = z.enum([...OwnMailKind.options, 'code', 'reset', 'invitation', 'notice']);

type MailKind = z.infer<typeof MailKind>;

/** What a mail is, and of which site. */
export interface MailAbout {
  kind: MailKind;
  siteId: string;
}

export interface Kept extends MailAbout {
  id: string;
  created: Date;
  /** Name of its file. */
  name: string;
}

/** A folder of mails that nobody sends. Several processes may share it. */
export interface Outbox {
  /** Keeps a mail as it would be sent, and gives the path of its file. The oldest go. */
  keep(about: MailAbout, raw: Buffer): Promise<string>;
  /** All there are, newest first. */
  list(): Promise<Kept[]>;
  /** As it would have been sent; null for one that is gone, or no file. */
  read(mail: Kept): Promise<Buffer | null>;
}

/** The folder is made when it is first needed. */
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
      // A link may lead anywhere.
      const found = await lstat(file).catch(nullIfMissing);
      return found?.isFile() ? await readFile(file).catch(nullIfMissing) : null;
    },
  };
}

const ending = 'eml';

/** At the end of the name of a file that is being written. */
const unfinished = '.part';

const RecordId = z.string().regex(recordIdPattern);

/** What says whom a mail is shown to is the name of its file: nothing that stands in it. */
const Name = z.tuple([RecordId, MailKind, RecordId, z.literal(ending)]);

/** Null for a file of somebody else. */
function readName(name: string): Kept | null {
  const { data } = Name.safeParse(name.split('.'));
  if (!data) return null;
  const [id, kind, siteId] = data;
  return { id, kind, siteId, name, created: createdOf(id) };
}

/** The highest id is the newest. */
const newestFirst = (a: string, b: string) => (a < b ? 1 : -1);

/** A mail is kept whatever becomes of older ones. What a process that died has not finished goes with them. */
async function dropOldest(folder: string) {
  // One that is finished meanwhile may be listed by both of its names.
  const names = new Set((await namesIn(folder)).map((name) => name.replace(/\.part$/, '')));
  const old = [...names].filter(readName).toSorted(newestFirst).slice(mostMailsKept);
  const files = old.flatMap((name) => [name, name + unfinished]);
  await Promise.allSettled(files.map((name) => rm(join(folder, name), { force: true })));
}

const namesIn = async (folder: string) => (await readdir(folder).catch(nullIfMissing)) ?? [];
