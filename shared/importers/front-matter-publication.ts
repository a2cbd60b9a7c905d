import { draftFor, futureDate, minuteOf, scheduled } from './foreign-record.ts';
import { type FrontMatter, matterOf } from './front-matter.ts';
import { isUnset, plainOf } from './front-matter-fields.ts';
import { anyZone, readTime, type WrittenTime, type Zone } from './parse-time.ts';
import { listOf } from './publication-setting.ts';

/** Name of a front matter field in comparable form: `is_draft`, `isDraft` and `Draft` become `draft`. */
const plainName = (name: string) =>
  name
    .toLowerCase()
    .replace(/[\s_-]/g, '')
    .replace(/^is(?=.{5})/, '');

/** Front matter fields that hide a text unless their value is a no. */
const hiding = [
  ...['draft', 'private', 'hidden', 'unpublished', 'protected', 'headless', 'archived', 'trashed', 'deleted'],
  ...['internal', 'confidential', 'secret', 'membersonly', 'memberonly', 'paid', 'premium', 'wip'],
];

/**
 * Front matter fields that show a text if their value is a yes. Other values hide it, with the exceptions in `isHiding`.
 */
const showing = ['published', 'publish', 'public', 'dgpublish', 'permalink', 'build'];

/** Front matter fields whose value is a publication state or an audience, as a word. */
const wording = ['status', 'poststatus', 'visibility', 'access'];

/** Fields with the date of publication, in the order in which they are used. */
const publishedAt = [
  ...['embargo', 'embargountil', 'publishat', 'publishon', 'publishafter', 'scheduledat', 'scheduledfor'],
  ...['publishdate', 'publishedat', 'pubdate', 'published', 'date'],
];

const expiringAt = ['expirydate', 'unpublishdate', 'expires', 'expiresat', 'unpublishat'];

/** Fields that exclude a text from lists. */
const unlisting = [
  ...['unlisted', 'eleventyexcludefromcollections', 'noindex', 'robots', 'sitemap', 'searchhidden'],
];

const all: ReadonlySet<string> = new Set([
  ...[...hiding, ...showing, ...wording, 'password', 'eleventycomputed'],
  ...[...publishedAt, ...expiringAt, ...unlisting],
]);

export const isOfPublication = (name: string) => all.has(plainName(name));

interface StatedField {
  /** Name of the field in comparable form. */
  key: string;
  /** Name of the field as written. */
  name: string;
  value: unknown;
}

/** Fields of front matter, including those that Eleventy computes. */
const saidBy = (matter: FrontMatter): StatedField[] =>
  [...matter, ...matterOf(matter.get('eleventycomputed'))].map(([name, value]) => ({
    ...{ key: plainName(name), name, value },
  }));

type Publication = Readonly<{
  is_draft: boolean;
  visibility?: string;
  publish_at?: string | null;
  published_at?: string | null;
}>;

/** Time of the import, and possible time zones of dates without one. */
interface ReadContext {
  now: Date;
  zones: readonly Zone[];
}

/** Front matter of a text with the fields that other files set. */
export interface WholeMatter {
  matter: FrontMatter;
  /** Files that set a field that the text itself does not, by field name. */
  from: ReadonlyMap<string, string>;
  /** Reason of another file why the text is not public; null if there is none. */
  why: string | null;
  /** Reason for a draft unless the front matter states that the text is public; null if there is none. */
  unlessPublic: string | null;
  /** Possible time zones of dates without one. */
  zones: readonly Zone[];
}

/** Text whose publication state is determined. */
interface PublishedText {
  file: string;
  date: WrittenTime | null;
  /** True for an Obsidian note, which is private unless it states otherwise. */
  isNote: boolean;
  /** Time of the import. */
  now: Date;
}

/** Fields that may hide a text, in the order in which they are checked. */
const hidingOrShowing = [...hiding, ...showing, ...wording, 'password', ...expiringAt];

const words = (...each: string[]): ReadonlySet<string> => new Set(each);

const yes = words('true', 'yes', 'on', 'y', '1');
const no = words('false', 'no', 'off', 'n', '0');
const always = words('always', 'true');
const open = words('published', 'publish', 'public', 'live', 'everyone', 'everybody', 'all', 'free', 'open');

const wordOf = (value: unknown) =>
  listOf(value)
    .map((each) => plainOf(each) ?? '')
    .join()
    .toLowerCase();

/**
 * Returns the publication state of an imported text. It becomes a draft, with a note, if a field, another file, its path
 * or an unreadable date may hide it. Obsidian notes, and texts with `unlessPublic`, also become drafts unless they state
 * that they are public. A future date schedules a text. All other texts are public.
 */
export function publicationOf(
  { matter, from, why: saidThere, unlessPublic, zones }: WholeMatter,
  { file, date, isNote, now }: PublishedText,
  notes: string[],
): Publication {
  const reading = { now, zones };
  const said = saidBy(matter);
  const why =
    whyHidden(said, from, reading) ??
    saidThere ??
    whyHiddenThere(file) ??
    whyUndated(matter) ??
    (isNote ? whyDraft(said, date, now) : null);
  if (why) return draftFor(why, notes);
  if (unlessPublic !== null && !statesPublic(said)) return draftWithDate(date, unlessPublic, now, notes);
  // A date without a time zone may be up to 14 hours off. The latest possible time decides, so that nothing is
  // published early.
  if (date && date.latest > now) return scheduled(date.latest, now, notes);
  noteEnds(said, reading, notes);
  return { is_draft: false, ...(isUnlisted(said, notes) && { visibility: 'unlisted' }) };
}

/** Fields of a draft. The text gets its original date when the owner publishes it. */
function draftWithDate(date: WrittenTime | null, why: string, now: Date, notes: string[]): Publication {
  const draft = draftFor(why, notes);
  if (date && date.latest > now)
    notes.push(`Date not imported: it is in the future (${minuteOf(date.latest)})`);
  else if (date) return { ...draft, published_at: date.time.toISOString() };
  return draft;
}

/** Returns whether a text that nothing hides explicitly states that it is public. */
const statesPublic = (said: readonly StatedField[]) =>
  said.some(({ key, value }) =>
    key === 'published' ? yes.has(wordOf(value)) : stating.has(key) || wording.includes(key),
  );

/** Fields that state that a text is public, unless their value hides it. */
const stating = words('publish', 'public', 'dgpublish', 'draft', 'private', 'hidden', 'unpublished');

/**
 * Finds the publication date of front matter, with the name of its field; null if there is none. `time` is null for a
 * date that cannot be read.
 */
export function publicationTime(
  matter: FrontMatter,
  zones: readonly Zone[] = anyZone,
): { name: string; value: unknown; time: WrittenTime | null } | null {
  const said = saidBy(matter);
  for (const each of publishedAt)
    for (const { key, name, value } of said) {
      if (key !== each || isUnset(value) || (key === 'published' && isSaying(value))) continue;
      return { name, value, time: readTime(value, zones) };
    }
  return null;
}

const isSaying = (value: unknown) => yes.has(wordOf(value)) || no.has(wordOf(value));

function whyHidden(
  said: readonly StatedField[],
  from: ReadonlyMap<string, string>,
  reading: ReadContext,
): string | null {
  for (const each of hidingOrShowing)
    for (const one of said) {
      const why = one.key === each ? whyHiddenBy(one, reading) : null;
      if (why !== null) return `${from.get(one.name) ?? 'its front matter'} sets ${why}`;
    }
  return null;
}

/** Returns whether a field may hide a text, now or until its date. */
export function mayHide(name: string, value: unknown, reading: ReadContext): boolean {
  const matter = new Map([[name, value]]);
  if (saidBy(matter).some((one) => whyHiddenBy(one, reading) !== null)) return true;
  const date = publicationTime(matter, reading.zones);
  return date !== null && !(date.time && date.time.latest <= reading.now);
}

/** Returns the reason why a field hides a text, for a note such as "a password"; null if it does not hide it. */
function whyHiddenBy({ key, name, value }: StatedField, { now, zones }: ReadContext): string | null {
  if (hiding.includes(key)) return no.has(wordOf(value)) ? null : told(name, value);
  if (showing.includes(key)) return isHiding(key, value) ? told(name, value) : null;
  if (wording.includes(key)) {
    const word = wordOf(value);
    return open.has(word) || (key === 'visibility' && word === 'unlisted') ? null : told(name, value);
  }
  if (isUnset(value)) return null;
  if (key === 'password') return 'a password';
  if (!expiringAt.includes(key)) return null;
  const timestamp = readTime(value, zones);
  return !timestamp || timestamp.earliest <= now ? told(name, value) : null;
}

function isHiding(key: string, value: unknown): boolean {
  if (key === 'permalink' && listOf(value).every((each) => plainOf(each) !== null))
    return no.has(wordOf(value)) || /\{%/.test(wordOf(value));
  if (key === 'build' && typeof value !== 'boolean') {
    const render = matterOf(value).get('render');
    return render !== undefined && !always.has(wordOf(render));
  }
  return !yes.has(wordOf(value)) && !(key === 'published' && readTime(value, anyZone));
}

/** Returns whether fields exclude a text from lists or search engines. */
function isUnlisted(said: readonly StatedField[], notes: string[]): boolean {
  const hides = ({ key, value }: StatedField) => {
    if (key === 'visibility') return wordOf(value) === 'unlisted';
    if (key === 'build') return isExcludedFromLists(value);
    if (key === 'robots') return /noindex|none|"index":false/i.test(JSON.stringify(value) ?? '');
    if (key === 'sitemap')
      return value === false || /"(?:disable|exclude|ignore)":true/i.test(JSON.stringify(value) ?? '');
    return unlisting.includes(key) && !no.has(wordOf(value));
  };
  const name = said.find(hides)?.key;
  if (name !== undefined && ['noindex', 'robots', 'sitemap', 'searchhidden'].includes(name))
    notes.push('Imported as unlisted: the original was hidden from search engines');
  return name !== undefined;
}

function isExcludedFromLists(build: unknown): boolean {
  const list = matterOf(build).get('list');
  return list !== undefined && !always.has(wordOf(list));
}

const told = (name: string, value: unknown) => {
  if (isUnset(value)) return `${name} without a value`;
  return typeof value === 'object' && !(value instanceof Date)
    ? `${name} to a list or object`
    : `${name}: ${(value instanceof Date ? value.toISOString() : String(value)).slice(0, 50)}`;
};

function noteEnds(said: readonly StatedField[], { zones }: ReadContext, notes: string[]) {
  for (const { key, value } of said) {
    const end = expiringAt.includes(key) && !isUnset(value) ? readTime(value, zones) : null;
    if (end)
      notes.push(
        `Expiry date not imported (${minuteOf(end.earliest)}): it stays public until you unpublish it`,
      );
  }
}

/**
 * Returns the reason to import a file as a draft because of its path; null if there is none. Some generators do not
 * publish folders named drafts, or names with a leading underscore. The rule applies to all generators, so that nothing
 * private is published. Exceptions are `_posts`, and files named `_index`.
 */
function whyHiddenThere(file: string): string | null {
  const hidden = file
    .split('/')
    .find(
      (part) =>
        /^_?drafts?$/i.test(part) || (part.startsWith('_') && part !== '_posts' && !/^_index\./.test(part)),
    );
  return hidden === undefined ? null : `its path contains ${hidden}, a name for unpublished files`;
}

function whyUndated(matter: FrontMatter): string | null {
  const date = publicationTime(matter);
  return date && !date.time ? `its date cannot be read (${told(date.name, date.value)})` : null;
}

/**
 * Reason to import a note as a draft; null if it becomes public. Notes are public only if they state it, and are never
 * scheduled.
 */
function whyDraft(said: readonly StatedField[], date: WrittenTime | null, now: Date): string | null {
  const isShown = said.some(({ key }) => ['publish', 'published', 'public', 'dgpublish'].includes(key));
  if (!isShown) return 'its front matter has no publish: true, which Obsidian notes need to be public';
  return date && date.latest > now ? futureDate(date.latest) : null;
}
