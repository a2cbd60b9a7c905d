import { tagsOf } from './foreign-record.ts';
import type { FrontMatter } from './front-matter.ts';

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
  if (text === null) notes.push(`${names[0]}: is no text, it was left out`);
  return text ?? '';
}

/** The picture of a post: an address, or what has one (`cover: {image: …}`). */
export function coverIn(matter: FrontMatter, notes: string[]): string {
  const value = firstOf(matter, coverNames);
  const [first] = Array.isArray(value) ? value : [value];
  if (typeof first !== 'object' || first === null)
    return textIn(new Map([['cover', first]]), ['cover'], notes);
  const given = ['image', 'src', 'url', 'path'].map(
    (name) => Object.entries(first).find(([key]) => key === name)?.[1],
  );
  return plainOf(given.find((each) => !isUnset(each))) ?? '';
}

/** Names of the picture of a post. */
export const coverNames = [
  'cover',
  'image',
  'heroimage',
  'featured_image',
  'featuredimage',
  'banner',
  'thumbnail',
];

/** Tags and categories, in a list or in a text with commas; Jekyll's text has blanks between them. */
export function tagsIn(matter: FrontMatter, areApart: boolean, notes: string[]): string[] {
  const names = ['tags', 'tag', 'categories', 'category'].flatMap((name) => {
    const value = matter.get(name);
    if (typeof value === 'string') return value.split(value.includes(',') || !areApart ? ',' : /\s+/);
    const each = (Array.isArray(value) ? value : [value]).map(plainOf);
    if (each.includes(null)) notes.push(`${name}: has what is no text, which was left out`);
    return each.flatMap((text) => text ?? []);
  });
  return tagsOf(
    names.map((name) => name.replace(/^#/, '')),
    notes,
  );
}
