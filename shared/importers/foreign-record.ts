import path from 'node:path';
import { type ImportQuestion, importExport } from '../contract/features/import-export.ts';
import { slugPattern, storableTextOf } from '../contract/fields.ts';
import { longestSlug, media } from '../contract/limits.ts';
import { allResources } from '../contract/resources/index.ts';
import type { FileTree } from './file-tree.ts';
import type { NamedFiles } from './named-files.ts';
import { plainText } from './plain-text.ts';
import type { Reference } from './references.ts';

/** What another system gave away. */
export interface ForeignSite {
  /** The system, and which of its sites: what was imported is known by it. */
  source: string;
  /** Of one whose records are known by the names of their files. */
  named?: NamedFiles;
  /** Its IDs may be those of another site of its system, too: a text that differs from an imported one is a conflict. */
  hasSharedIds?: boolean;
  /** A record at a time; the same ones each time. */
  records(): AsyncIterable<ForeignRecord>;
  form: 'markdown' | 'html';
  /** Places that something in a record may point at, the likeliest first; none for what leads to other sites. */
  placesOf(reference: Omit<Reference, 'fragment'>, record: ForeignRecord): readonly string[];
  /** Returns the encoded fragment of an address that names a heading in another way, or an empty text. */
  fragmentOf?(target: string): string;
  /** The files that come with it; each is a place by its name. */
  tree?: FileTree;
  /** The address at which the old site shows a picture, by its place; null for what is none. */
  pictureAt?(place: string): string | null;
  /** A body without what only the old site understands, once all that has a place here points there. */
  cleaned?(body: string): string;
  /** Columns that only the owner can judge, once all records were read. */
  questions?(): ImportQuestion[];
}

/** A record of another system, as far as this one has a place for it. */
export interface ForeignRecord {
  collection: string;
  sourceId: string;
  title: string;
  /** Its fields; null for what is not taken. */
  values: Readonly<Record<string, unknown>> | null;
  cover?: string;
  /** What that shows, and what stands below it. */
  coverText?: { alt: string; caption: string } | undefined;
  /** Where others find it; of a file, the place that it is itself. */
  places?: readonly string[];
  /** Paths at which the old site showed it: they lead to it here. */
  addresses?: readonly string[];
  /** Lists of the old site that it was in, by their paths there, and where their like is here. */
  lists?: ReadonlyMap<string, string>;
  created?: Date | null;
  updated?: Date | null;
  /** What of it is not as it was, or why it is not taken. */
  notes?: readonly string[];
  isLeftOut?: boolean;
}

/** A file that becomes no record. */
export const leftOut = (name: string, why: string): ForeignRecord => ({
  ...{ collection: 'files', sourceId: name, title: path.posix.basename(name), values: null },
  ...{ places: [name], notes: [`Not imported: ${why}`], isLeftOut: true },
});

/** A record that can't be read; what can't even be told apart is known by its place. */
export const unreadable = (
  about: Pick<ForeignRecord, 'collection' | 'sourceId'> & { title?: string },
  why: string,
): ForeignRecord => ({
  ...{ title: '', values: null, notes: [`Not imported: ${why}`] },
  ...about,
});

export const tooLong = `it is larger than ${importExport.recordBytes / 1024 / 1024} MB`;

/** A record with what there is to say of how it was read, before all else. */
export const noted = (record: ForeignRecord, note: string | null): ForeignRecord =>
  note === null ? record : { ...record, notes: [note, ...(record.notes ?? [])] };

/** Longest texts of a post, and the most tags. */
const longest = { excerpt: 1_000, metaTitle: 200, metaDescription: 500, tag: 200, tags: 100 } as const;

/** A teaser that fits; what is cut off is noted. */
export function excerptOf(text: string, notes: string[]): string {
  if (text.length <= longest.excerpt) return text;
  notes.push(`Excerpt shortened to ${longest.excerpt} characters`);
  return text.slice(0, longest.excerpt).toWellFormed();
}

/** Title and description for search engines, as far as they fit; what is cut off is noted. */
export function metaOf(title: string, description: string, notes: string[]) {
  return {
    meta_title: lineOf(title, { name: 'Field meta_title', most: longest.metaTitle, notes }),
    meta_description: lineOf(description, {
      name: 'Field meta_description',
      most: longest.metaDescription,
      notes,
    }),
  };
}

/** What is said of the picture of a record, as far as it fits; a caption is HTML. */
export function coverTextOf(alt: string, caption: string, notes: string[]): ForeignRecord['coverText'] {
  const most = media.longestAlt;
  const said = {
    alt: lineOf(alt, { name: 'Alternative text of the cover image', most, notes }),
    caption: lineOf(plainText(caption), { name: 'Caption of the cover image', most, notes }),
  };
  return said.alt || said.caption ? said : undefined;
}

function lineOf(text: string, { name, most, notes }: { name: string; most: number; notes: string[] }) {
  const plain = storableTextOf(text).replace(/\s+/g, ' ').trim();
  if (plain.length > most) notes.push(`${name} shortened to ${most} characters`);
  return plain.slice(0, most).toWellFormed();
}

/** Tags, each once; those that don't fit are noted. */
export function tagsOf(names: readonly string[], notes: string[]): string[] {
  const each = [...new Set(names.map((name) => name.trim().normalize('NFC')).filter(Boolean))];
  const fitting = each.filter(({ length }) => length <= longest.tag).slice(0, longest.tags);
  if (fitting.length < each.length)
    notes.push(`Tags not imported, because they are too many or too long: ${each.length - fitting.length}`);
  return fitting;
}

/** A slug as it was, or none where it can't be one here: then the title makes it. */
export function slugOf(collection: 'posts' | 'pages', slug: string, notes: string[]): string {
  const { reservedSlugs } = allResources[collection];
  if (slug === '') return '';
  if (slug.length <= longestSlug && slugPattern.test(slug) && !reservedSlugs?.has(slug)) return slug;
  notes.push(`Slug made from the title: ${slug.slice(0, 100)} is not a valid slug here`);
  return '';
}

/**
 * Fields of a scheduled record. One that was due between export and import is a draft: the export does not state that it was
 * published.
 */
export function scheduled(at: Date | null, now: Date, notes: string[]) {
  if (at && at > now) {
    notes.push(scheduleNote(minuteOf(at)));
    return { is_draft: true, publish_at: at.toISOString() };
  }
  notes.push(
    at
      ? `Imported as a draft: its publication was scheduled for ${minuteOf(at)}, which has passed`
      : 'Imported as a draft: its scheduled date is missing or cannot be read',
  );
  return { is_draft: true };
}

export const scheduleNote = (at: string) => `Scheduled: it will be published on ${at}`;

/** Reason to import a record as a draft: its date has not come yet. */
export const futureDate = (date: Date) => `its date is in the future (${minuteOf(date)})`;

/** Fields of a draft. The note on it continues with `why`, such as "the original was private". */
export function draftFor(why: string, notes: string[]) {
  notes.push(`Imported as a draft: ${why}`);
  return { is_draft: true };
}

/** Names for people, as many as they read. */
export function firstNamesOf(names: readonly string[]): string {
  const more = names.length > 5 ? ` and ${names.length - 5} more` : '';
  return `${names
    .slice(0, 5)
    .map((name) => name.slice(0, 100))
    .join(', ')}${more}`;
}

export const minuteOf = (moment: Date) => `${moment.toISOString().slice(0, 16).replace('T', ' ')} UTC`;

/** `text` without the marks that it ends with, however many: a pattern for that takes time by the square of their number. */
export function withoutEnding(text: string, mark: string): string {
  let end = text.length;
  while (text[end - 1] === mark) end -= 1;
  return text.slice(0, end);
}
