import { coverTextOf, tagsOf } from './foreign-record.ts';
import { type FrontMatter, matterOf } from './front-matter.ts';

export const isUnset = (value: unknown) => value === null || value === undefined || value === '';

/** The first of these names that says something. */
export const firstOf = (matter: FrontMatter, names: readonly string[]) =>
  names.map((name) => matter.get(name)).find((value) => !isUnset(value));

/** The text of a plain value; null for what is a list or an object. */
export function plainOf(value: unknown): string | null {
  if (isUnset(value)) return '';
  if (typeof value === 'string') return value.trim();
  if (value instanceof Date) return value.toISOString();
  return typeof value === 'object' ? null : String(value);
}

/** A text under the first of these names; what is none is noted. */
export function textIn(matter: FrontMatter, names: readonly string[], notes: string[]): string {
  const text = plainOf(firstOf(matter, names));
  if (text === null) notes.push(`Field ${names[0]} not imported: it is not text`);
  return text ?? '';
}

/** The picture of a post, and what is said of it: an address, or what has all of this (`cover: {image: …, alt: …}`). */
export function coverIn(matter: FrontMatter, notes: string[]) {
  const value = firstOf(matter, pictureNames);
  const [first] = Array.isArray(value) ? value : [value];
  const isPlain = typeof first !== 'object' || first === null;
  const parts = isPlain ? new Map([['image', first]]) : matterOf(first);
  const said = (name: string) => plainOf(firstOf(parts, [name]) ?? firstOf(matter, besides(name))) ?? '';
  return {
    cover: textIn(parts, ['image', 'src', 'url', 'path'], notes),
    coverText: coverTextOf(said('alt'), said('caption'), notes),
  };
}

const pictureNames = [
  ...['cover', 'image', 'heroimage', 'featured_image', 'featuredimage', 'banner', 'thumbnail'],
];

/** What says something of it, beside it. */
const besides = (what: string) => pictureNames.flatMap((name) => [`${name}_${what}`, `${name}${what}`]);

export const coverNames = [...pictureNames, ...besides('alt'), ...besides('caption')];

export const tagNames: readonly string[] = ['tags', 'tag'];
export const categoryNames: readonly string[] = ['categories', 'category'];

/** Tags and categories, in a list or in a text with commas; Jekyll's text has blanks between them. */
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
