import { minuteOf, scheduled } from './foreign-record.ts';
import type { FrontMatter } from './front-matter.ts';
import { momentOf } from './moments.ts';

/** Whether readers see a record, by its fields. */
export type Publication = Readonly<{ is_draft: boolean; visibility?: string; publish_at?: string | null }>;

/** Where a file is, and when it is read. */
interface Surroundings {
  /** Its name, with those of the folders that it is in. */
  file: string;
  /** It is among somebody's notes (Obsidian), which nobody reads unless they say so. */
  isNote: boolean;
  now: Date;
}

/** Names that hide a text unless they say no. */
const hiding = ['draft', 'private', 'hidden', 'unpublished', 'protected', 'headless'];

/** Names that show it; any that doesn't say yes hides it. */
const showing = ['published', 'publish', 'public', 'dg-publish', 'permalink', 'build', '_build'];

/** Names that may say so in a word. */
const wording = ['status', 'visibility'];

/** Names of the moment that something is published at, before all others the one that says so. */
const publishedAt = ['publishdate', 'published_at', 'pubdate', 'published', 'date'];

const expiringAt = ['expirydate', 'unpublishdate', 'expires'];

/** All names that a publication is read from. */
export const publicationNames: readonly string[] = [
  ...hiding,
  ...showing,
  ...wording,
  ...publishedAt,
  ...expiringAt,
  'password',
  'unlisted',
  'eleventyexcludefromcollections',
];

const words = (...each: string[]): ReadonlySet<string> => new Set(each);

const yes = words('true', 'yes', 'on', 'y', '1');
const no = words('false', 'no', 'off', 'n', '0');
const open = words('published', 'publish', 'public', 'live');

const wordOf = (value: unknown) =>
  value === null || value === undefined ? '' : String(value).trim().toLowerCase();

/** Whether readers saw a text where it comes from. What is not said in so many words to be public is a draft, with a note. */
export function publicationOf(
  matter: FrontMatter,
  date: Date | null,
  { file, isNote, now }: Surroundings,
  notes: string[],
): Publication {
  const why =
    whyHidden(matter, now) ??
    whyHiddenThere(file) ??
    whyUndated(matter) ??
    (isNote ? whyKept(matter, date, now) : null);
  if (why) {
    notes.push(`${why}, so it is a draft here`);
    return { is_draft: true };
  }
  if (date && date > now) return scheduled(date, now, notes);
  const isUnlisted =
    wordOf(matter.get('visibility')) === 'unlisted' ||
    ['unlisted', 'eleventyexcludefromcollections'].some((name) => yes.has(wordOf(matter.get(name))));
  return { is_draft: false, ...(isUnlisted && { visibility: 'unlisted' }) };
}

/** The moment of publication that front matter has, and the name that it has it under. */
export function publishedMoment(matter: FrontMatter): { name: string; moment: Date | null } | null {
  for (const name of publishedAt) {
    const value = matter.get(name);
    if (isUnset(value) || (name === 'published' && isSaying(value))) continue;
    return { name, moment: momentOf(value) };
  }
  return null;
}

const isUnset = (value: unknown) => value === null || value === undefined || value === '';

const isSaying = (value: unknown) => yes.has(wordOf(value)) || no.has(wordOf(value));

function whyHidden(matter: FrontMatter, now: Date): string | null {
  const given = (names: readonly string[]) =>
    names.flatMap((name) => (matter.has(name) ? [[name, matter.get(name)] as const] : []));
  for (const [name, value] of given(hiding)) if (!no.has(wordOf(value))) return told(name, value);
  for (const [name, value] of given(showing)) if (isHiding(name, value)) return told(name, value);
  for (const [name, value] of given(wording)) {
    const word = wordOf(value);
    if (!open.has(word) && !(name === 'visibility' && word === 'unlisted')) return told(name, value);
  }
  if (!isUnset(matter.get('password'))) return 'it has a password';
  for (const [name, value] of given(expiringAt)) {
    if (isUnset(value)) continue;
    const moment = momentOf(value);
    if (!moment || moment <= now) return told(name, value);
  }
  return null;
}

function isHiding(name: string, value: unknown): boolean {
  if (name === 'permalink') return value === false;
  if (name === 'build' || name === '_build') {
    const render = typeof value === 'object' && value !== null && 'render' in value ? value.render : 'always';
    return !['always', 'true', 'link'].includes(wordOf(render));
  }
  return !yes.has(wordOf(value)) && !(name === 'published' && momentOf(value));
}

const told = (name: string, value: unknown) => {
  if (isUnset(value)) return `${name} is empty`;
  return typeof value === 'object' && !(value instanceof Date)
    ? `${name} is no plain value`
    : `${name}: ${(value instanceof Date ? value.toISOString() : String(value)).slice(0, 50)}`;
};

/** Folders and files that generators leave out: those of drafts, and all that begin with a line below but posts and the page of a folder. */
function whyHiddenThere(file: string): string | null {
  const hidden = file
    .split('/')
    .find(
      (part) =>
        /^_?drafts?$/i.test(part) || (part.startsWith('_') && part !== '_posts' && !/^_index\./.test(part)),
    );
  return hidden === undefined ? null : `it is in ${hidden}`;
}

function whyUndated(matter: FrontMatter): string | null {
  const date = publishedMoment(matter);
  return date && !date.moment ? `${told(date.name, matter.get(date.name))} can not be read` : null;
}

/** Of notes, those that say that they are published. They are whole or not at all: nothing publishes them later. */
function whyKept(matter: FrontMatter, date: Date | null, now: Date): string | null {
  const isShown = ['publish', 'published', 'public', 'dg-publish'].some((name) => matter.has(name));
  if (!isShown) return 'it is a note that does not say that it is public';
  return date && date > now ? `its date is ${minuteOf(date)}` : null;
}
