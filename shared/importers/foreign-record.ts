import path from 'node:path';
import { type ImportQuestion, importExport } from '../contract/features/import-export.ts';
import { slugPattern, storableTextOf } from '../contract/fields.ts';
import { maxSlugLength, media } from '../contract/limits.ts';
import { allResources } from '../contract/resources/index.ts';
import type { FileTree } from './file-tree.ts';
import type { NamedFiles } from './named-files.ts';
import { plainText } from './plain-text.ts';
import type { Reference } from './references.ts';

/** Export of another system, in the form that the import engine reads. */
export interface ForeignSite {
  /** System of origin with an ID of the site. Imported records are recognized by it and their source IDs. */
  source: string;
  /** Folder of the files, for sources whose record IDs are file names. */
  named?: NamedFiles;
  /**
   * True if another site of the same system may have the same IDs. A text that differs from the one imported under its
   * ID is then a conflict.
   */
  hasSharedIds?: boolean;
  /** Yields all records. Each call yields the same ones. */
  records(): AsyncIterable<ForeignRecord>;
  form: 'markdown' | 'html';
  /** Locations that a reference may point to, the likeliest first. Empty for links to other sites. */
  placesOf(reference: Omit<Reference, 'fragment'>, record: ForeignRecord): readonly string[];
  /** Returns the encoded fragment of a link that names a heading in a special way, or an empty text. */
  fragmentOf?(target: string): string;
  /** Files of the export. The location of a file is its name. */
  tree?: FileTree;
  /** URL of an image on the old site, by its location; null if the location is not an image. */
  pictureAt?(position: string): string | null;
  /** Removes markup that only the old site understands. Called after references have been rewritten. */
  cleaned?(body: string): string;
  /** Columns that only the owner can judge. Complete once all records were read. */
  questions?(): ImportQuestion[];
}

/** Record of another system, with the fields that have an equivalent here. */
export interface ForeignRecord {
  collection: string;
  sourceId: string;
  title: string;
  /** Field values; null for a record that is not imported. */
  values: Readonly<Record<string, unknown>> | null;
  cover?: string;
  /** Alternative text and caption of the cover image. */
  coverText?: { alt: string; caption: string } | undefined;
  /** Locations under which other records link to it; for a file, the location of the file itself. */
  places?: readonly string[];
  /** Paths at which the old site showed it. They redirect to the imported record. */
  addresses?: readonly string[];
  /** Lists of the old site that included it, by path, with the path of the equivalent list here. */
  lists?: ReadonlyMap<string, string>;
  created?: Date | null;
  updated?: Date | null;
  /** Notes on differences from the original, or the reason why it is not imported. */
  notes?: readonly string[];
  isExcluded?: boolean;
}

type RecordKey = Pick<ForeignRecord, 'collection' | 'sourceId' | 'title'>;

/** Creates the report on a record that is left out on purpose, which is not an error. */
export const excluded = (about: RecordKey, why: string): ForeignRecord => ({
  ...about,
  ...{ values: null, notes: [`Not imported: ${why}`], isExcluded: true },
});

/** Creates the report on a file that does not become a record. */
export const excludedFile = (name: string, why: string): ForeignRecord => ({
  ...excluded({ collection: 'files', sourceId: name, title: path.posix.basename(name) }, why),
  places: [name],
});

/** Creates the report on a record that cannot be read. If its ID is unknown, too, `sourceId` states its position. */
export const unreadable = (
  about: Omit<RecordKey, 'title'> & Partial<RecordKey>,
  why: string,
): ForeignRecord => ({
  ...{ title: '', values: null, notes: [`Not imported: ${why}`] },
  ...about,
});

export const tooLong = `it is larger than ${importExport.recordBytes / 1024 / 1024} MB`;

/** Returns the record with a note before all its others; a null note changes nothing. */
export const noted = (record: ForeignRecord, note: string | null): ForeignRecord =>
  note === null ? record : { ...record, notes: [note, ...(record.notes ?? [])] };

/** Maximum lengths of a post's texts, and maximum number of tags. */
const maxLength = { excerpt: 1_000, metaTitle: 200, metaDescription: 500, tag: 200, tags: 100 } as const;

/** Returns the excerpt, shortened to 1,000 UTF-16 units. A shortened text adds a note to `notes`. */
export function excerptOf(text: string, notes: string[]): string {
  if (text.length <= maxLength.excerpt) return text;
  notes.push(`Excerpt shortened to ${maxLength.excerpt} characters`);
  return text.slice(0, maxLength.excerpt).toWellFormed();
}

/**
 * Returns meta title and description as single lines, with at most 200 and 500 UTF-16 units. Empty texts stay empty. A
 * shortened text adds a note to `notes`.
 */
export function metaOf(title: string, description: string, notes: string[]) {
  return {
    meta_title: lineOf(title, 'Field meta_title', maxLength.metaTitle, notes),
    meta_description: lineOf(description, 'Field meta_description', maxLength.metaDescription, notes),
  };
}

/**
 * Returns alternative text and caption of a cover image, each as one line of plain text. The argument `caption` is
 * HTML. Texts above `media.maxAltLength` UTF-16 units are shortened, each with a note in `notes`. Undefined if both are
 * empty.
 */
export function coverTextOf(alt: string, caption: string, notes: string[]): ForeignRecord['coverText'] {
  const max = media.maxAltLength;
  const said = {
    alt: lineOf(alt, 'Alternative text of the cover image', max, notes),
    caption: lineOf(plainText(caption), 'Caption of the cover image', max, notes),
  };
  return said.alt || said.caption ? said : undefined;
}

function lineOf(text: string, name: string, max: number, notes: string[]) {
  const plain = storableTextOf(text).replace(/\s+/g, ' ').trim();
  if (plain.length > max) notes.push(`${name} shortened to ${max} characters`);
  return plain.slice(0, max).toWellFormed();
}

/**
 * Returns the distinct tags, trimmed and in Unicode NFC: at most 100, of at most 200 UTF-16 units. `notes` gets one
 * note with the number of the others. Empty tags are left out without a note.
 */
export function tagsOf(names: readonly string[], notes: string[]): string[] {
  const each = [...new Set(names.map((name) => name.trim().normalize('NFC')).filter(Boolean))];
  const fitting = each.filter(({ length }) => length <= maxLength.tag).slice(0, maxLength.tags);
  if (fitting.length < each.length)
    notes.push(`Tags not imported, because they are too many or too long: ${each.length - fitting.length}`);
  return fitting;
}

/**
 * Returns the original slug if it is valid here; otherwise empty, so that the slug is made from the title. An invalid
 * slug adds a note to `notes`, an empty one does not.
 */
export function slugOf(collection: 'posts' | 'pages', slug: string, notes: string[]): string {
  const { reservedSlugs } = allResources[collection];
  if (slug === '') return '';
  if (slug.length <= maxSlugLength && slugPattern.test(slug) && !reservedSlugs?.has(slug)) return slug;
  notes.push(`Slug made from the title: ${slug.slice(0, 100)} is not a valid slug here`);
  return '';
}

/**
 * Returns the fields of a scheduled record, and adds a note to `notes`. A record whose time has passed since the export
 * becomes a draft, because the export does not state that it was published. So does one whose time is null.
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

/** Returns the reason to import a record as a draft whose date is in the future. */
export const futureDate = (date: Date) => `its date is in the future (${minuteOf(date)})`;

/**
 * Returns the fields of a draft, and adds the note on it. The note continues with `why`, such as "the original was
 * private".
 */
export function draftFor(why: string, notes: string[]) {
  notes.push(`Imported as a draft: ${why}`);
  return { is_draft: true };
}

/** Returns up to five names for a note, each cut to 100 UTF-16 units, and the number of the others. */
export function firstNamesOf(names: readonly string[]): string {
  const more = names.length > 5 ? ` and ${names.length - 5} more` : '';
  return `${names
    .slice(0, 5)
    .map((name) => name.slice(0, 100))
    .join(', ')}${more}`;
}

export const minuteOf = (timestamp: Date) => `${timestamp.toISOString().slice(0, 16).replace('T', ' ')} UTC`;

/** Removes all repetitions of a character at the end of a text. A regular expression would take quadratic time. */
export function withoutEnding(text: string, mark: string): string {
  let end = text.length;
  while (text[end - 1] === mark) end -= 1;
  return text.slice(0, end);
}
