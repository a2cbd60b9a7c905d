import { coverTextOf, tagsOf } from './foreign-record.ts';
import { type FrontMatter, matterOf } from './front-matter.ts';

export const isUnset = (value: unknown) => value === null || value === undefined || value === '';

/** Returns the value of the first of these fields that is set, of any type; undefined if none is. */
export const firstOf = (matter: FrontMatter, names: readonly string[]) =>
  names.map((name) => matter.get(name)).find((value) => !isUnset(value));

/**
 * Returns a plain value as trimmed text: a date in ISO 8601, a number or boolean as written. Empty if it is unset; null
 * for a list or an object.
 */
export function plainOf(value: unknown): string | null {
  if (isUnset(value)) return '';
  if (typeof value === 'string') return value.trim();
  if (value instanceof Date) return value.toISOString();
  return typeof value === 'object' ? null : String(value);
}

/**
 * Returns the text of the first of these fields that is set; empty if none is. A list or an object counts as empty, and
 * adds a note to `notes`.
 */
export function textIn(matter: FrontMatter, names: readonly string[], notes: string[]): string {
  const text = plainOf(firstOf(matter, names));
  if (text === null) notes.push(`Field ${names[0]} not imported: it is not text`);
  return text ?? '';
}

/**
 * Returns the URL of the cover image, empty if there is none, with its alternative text and caption. The field is a
 * URL, or an object with all of them (`cover: {image: …, alt: …}`). The texts can also be in fields of their own,
 * such as `cover_alt`. `coverText` is undefined without them. Appends to `notes` the values that are not imported,
 * and the texts that were shortened.
 */
export function coverIn(matter: FrontMatter, notes: string[]) {
  const value = firstOf(matter, imageNames);
  const [first] = Array.isArray(value) ? value : [value];
  const isPlain = typeof first !== 'object' || first === null;
  const parts = isPlain ? new Map([['image', first]]) : matterOf(first);
  const said = (name: string) =>
    plainOf(firstOf(parts, [name]) ?? firstOf(matter, coverTextNames(name))) ?? '';
  return {
    cover: textIn(parts, ['image', 'src', 'url', 'path'], notes),
    coverText: coverTextOf(said('alt'), said('caption'), notes),
  };
}

const imageNames = [
  ...['cover', 'image', 'heroimage', 'featured_image', 'featuredimage', 'banner', 'thumbnail'],
];

/** Returns the names of fields with a text about the cover image, such as `cover_alt`. */
const coverTextNames = (what: string) => imageNames.flatMap((name) => [`${name}_${what}`, `${name}${what}`]);

export const coverNames = [...imageNames, ...coverTextNames('alt'), ...coverTextNames('caption')];

export const tagNames: readonly string[] = ['tags', 'tag'];
export const categoryNames: readonly string[] = ['categories', 'category'];

/**
 * Returns tags and categories without a leading `#`, from a list or a comma-separated text; empty if there are none.
 * With `areApart`, as in Jekyll, a text without commas is separated by blanks. Lists and objects as values, and tags
 * that `tagsOf` rejects, are left out, with notes.
 */
export function tagsIn(
  matter: FrontMatter,
  areApart: boolean,
  notes: string[] = [],
  names: readonly string[] = [...tagNames, ...categoryNames],
): string[] {
  const tags = names.flatMap((name) => {
    const value = matter.get(name);
    if (typeof value === 'string') return value.split(value.includes(',') || !areApart ? ',' : /\s+/);
    const each = (Array.isArray(value) ? value : [value]).map(plainOf);
    if (each.includes(null)) notes.push(`Some values of the field ${name} not imported: they are not text`);
    return each.flatMap((text) => text ?? []);
  });
  return tagsOf(
    tags.map((tag) => tag.replace(/^#/, '')),
    notes,
  );
}
