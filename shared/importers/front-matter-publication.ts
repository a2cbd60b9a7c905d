import { draftFor, futureDate, minuteOf, scheduled } from './foreign-record.ts';
import { type FrontMatter, matterOf } from './front-matter.ts';
import { isUnset, plainOf } from './matter-fields.ts';
import { anyZone, readMoment, type WrittenMoment, type Zone } from './moments.ts';
import { listOf } from './setting.ts';

/** A name of front matter that a publication is read from, whatever way it is written: `is_draft`, `isDraft`, `Draft`. */
const plainName = (name: string) =>
  name
    .toLowerCase()
    .replace(/[\s_-]/g, '')
    .replace(/^is(?=.{5})/, '');

/** Names that hide a text unless they say no. */
const hiding = [
  ...['draft', 'private', 'hidden', 'unpublished', 'protected', 'headless', 'archived', 'trashed', 'deleted'],
  ...['internal', 'confidential', 'secret', 'membersonly', 'memberonly', 'paid', 'premium', 'wip'],
];

/** Names that show it; any that doesn't say yes hides it. */
const showing = ['published', 'publish', 'public', 'dgpublish', 'permalink', 'build'];

/** Names that may say so in a word. */
const wording = ['status', 'poststatus', 'visibility', 'access'];

/** Names of the moment that something is published at, before all others the one that says so. */
const publishedAt = [
  ...['embargo', 'embargountil', 'publishat', 'publishon', 'publishafter', 'scheduledat', 'scheduledfor'],
  ...['publishdate', 'publishedat', 'pubdate', 'published', 'date'],
];

const expiringAt = ['expirydate', 'unpublishdate', 'expires', 'expiresat', 'unpublishat'];

/** Names by which a text is in no list. */
const unlisting = [
  ...['unlisted', 'eleventyexcludefromcollections', 'noindex', 'robots', 'sitemap', 'searchhidden'],
];

const all: ReadonlySet<string> = new Set([
  ...[...hiding, ...showing, ...wording, 'password', 'eleventycomputed'],
  ...[...publishedAt, ...expiringAt, ...unlisting],
]);

export const isOfPublication = (name: string) => all.has(plainName(name));

interface Said {
  /** The name in its one form. */
  key: string;
  /** As it is written. */
  name: string;
  value: unknown;
}

/** What is computed from others (Eleventy) counts as if it was said as well. */
const saidBy = (matter: FrontMatter): Said[] =>
  [...matter, ...matterOf(matter.get('eleventycomputed'))].map(([name, value]) => ({
    ...{ key: plainName(name), name, value },
  }));

type Publication = Readonly<{
  is_draft: boolean;
  visibility?: string;
  publish_at?: string | null;
  published_at?: string | null;
}>;

/** When a text is read, and in which of these zones its moments may be that name none. */
interface Reading {
  now: Date;
  zones: readonly Zone[];
}

/** Where a file is, and when it is read. */
interface Surroundings extends Reading {
  date: WrittenMoment | null;
  /** Its name, with those of the folders that it is in. */
  file: string;
  /** Which file says what its own front matter doesn't. */
  from: ReadonlyMap<string, string>;
  /** Why another file says that it is not public. */
  why: string | null;
  /** Reason for a draft unless its front matter, with that of data files, states that it is public. */
  unlessPublic: string | null;
  /** It is among somebody's notes (Obsidian), which nobody reads unless they say so. */
  isNote: boolean;
}

/** Names by which a text says that it is nobody's to read, in the order in which they are looked for. */
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

/** Whether readers saw a text where it comes from. What is not said in so many words to be public is a draft, with a note. */
export function publicationOf(
  matter: FrontMatter,
  { date, file, from, why: saidThere, unlessPublic, isNote, ...reading }: Surroundings,
  notes: string[],
): Publication {
  const said = saidBy(matter);
  const why =
    whyHidden(said, from, reading) ??
    saidThere ??
    whyHiddenThere(file) ??
    whyUndated(matter) ??
    (isNote ? whyDraft(said, date, reading.now) : null);
  if (why) return draftFor(why, notes);
  if (unlessPublic !== null && !statesPublic(said))
    return draftWithDate(date, unlessPublic, reading.now, notes);
  // A moment without a zone is the latest that it may be, where that decides who reads it.
  if (date && date.latest > reading.now) return scheduled(date.latest, reading.now, notes);
  noteEnds(said, reading, notes);
  return { is_draft: false, ...(isUnlisted(said, notes) && { visibility: 'unlisted' }) };
}

/** A draft that gets its former date when its owner publishes it. */
function draftWithDate(date: WrittenMoment | null, why: string, now: Date, notes: string[]): Publication {
  const draft = draftFor(why, notes);
  if (date && date.latest > now)
    notes.push(`Date not imported: it is in the future (${minuteOf(date.latest)})`);
  else if (date) return { ...draft, published_at: date.moment.toISOString() };
  return draft;
}

/** Returns whether a text that nothing hides states in its own words that it is public. */
const statesPublic = (said: readonly Said[]) =>
  said.some(({ key, value }) =>
    key === 'published' ? yes.has(wordOf(value)) : stating.has(key) || wording.includes(key),
  );

/** Names of front matter that state that a text is public if their value does not hide it. */
const stating = words('publish', 'public', 'dgpublish', 'draft', 'private', 'hidden', 'unpublished');

/** The moment of publication that front matter has, and the name that it has it under. */
export function publishedMoment(
  matter: FrontMatter,
  zones: readonly Zone[] = anyZone,
): { name: string; value: unknown; moment: WrittenMoment | null } | null {
  const said = saidBy(matter);
  for (const each of publishedAt)
    for (const { key, name, value } of said) {
      if (key !== each || isUnset(value) || (key === 'published' && isSaying(value))) continue;
      return { name, value, moment: readMoment(value, zones) };
    }
  return null;
}

const isSaying = (value: unknown) => yes.has(wordOf(value)) || no.has(wordOf(value));

function whyHidden(
  said: readonly Said[],
  from: ReadonlyMap<string, string>,
  reading: Reading,
): string | null {
  for (const each of hidingOrShowing)
    for (const one of said) {
      const why = one.key === each ? whyHiddenBy(one, reading) : null;
      if (why !== null) return `${from.get(one.name) ?? 'its front matter'} sets ${why}`;
    }
  return null;
}

/** Whether front matter that says this may be of no public text, now or until later. */
export function mayHide(name: string, value: unknown, reading: Reading): boolean {
  const matter = new Map([[name, value]]);
  if (saidBy(matter).some((one) => whyHiddenBy(one, reading) !== null)) return true;
  const date = publishedMoment(matter, reading.zones);
  return date !== null && !(date.moment && date.moment.latest <= reading.now);
}

/** Entry of front matter that hides a text, for a note; null if it hides nothing. */
function whyHiddenBy({ key, name, value }: Said, { now, zones }: Reading): string | null {
  if (hiding.includes(key)) return no.has(wordOf(value)) ? null : told(name, value);
  if (showing.includes(key)) return isHiding(key, value) ? told(name, value) : null;
  if (wording.includes(key)) {
    const word = wordOf(value);
    return open.has(word) || (key === 'visibility' && word === 'unlisted') ? null : told(name, value);
  }
  if (isUnset(value)) return null;
  if (key === 'password') return 'a password';
  if (!expiringAt.includes(key)) return null;
  const moment = readMoment(value, zones);
  return !moment || moment.earliest <= now ? told(name, value) : null;
}

function isHiding(key: string, value: unknown): boolean {
  if (key === 'permalink' && listOf(value).every((each) => plainOf(each) !== null))
    return no.has(wordOf(value)) || /\{%/.test(wordOf(value));
  if (key === 'build' && typeof value !== 'boolean') {
    const render = matterOf(value).get('render');
    return render !== undefined && !always.has(wordOf(render));
  }
  return !yes.has(wordOf(value)) && !(key === 'published' && readMoment(value, anyZone));
}

/** What it says of lists and of search engines. */
function isUnlisted(said: readonly Said[], notes: string[]): boolean {
  const hides = ({ key, value }: Said) => {
    if (key === 'visibility') return wordOf(value) === 'unlisted';
    if (key === 'build') return isLeftOutOfLists(value);
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

function isLeftOutOfLists(build: unknown): boolean {
  const list = matterOf(build).get('list');
  return list !== undefined && !always.has(wordOf(list));
}

const told = (name: string, value: unknown) => {
  if (isUnset(value)) return `${name} without a value`;
  return typeof value === 'object' && !(value instanceof Date)
    ? `${name} to a list or object`
    : `${name}: ${(value instanceof Date ? value.toISOString() : String(value)).slice(0, 50)}`;
};

function noteEnds(said: readonly Said[], { zones }: Reading, notes: string[]) {
  for (const { key, value } of said) {
    const end = expiringAt.includes(key) && !isUnset(value) ? readMoment(value, zones) : null;
    if (end)
      notes.push(
        `Expiry date not imported (${minuteOf(end.earliest)}): it stays public until you unpublish it`,
      );
  }
}

/** Folders and files that generators leave out: those of drafts, and all that begin with a line below but posts and the page of a folder. */
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
  const date = publishedMoment(matter);
  return date && !date.moment ? `its date cannot be read (${told(date.name, date.value)})` : null;
}

/** Of notes, those that say that they are published. They are whole or not at all: nothing publishes them later. */
function whyDraft(said: readonly Said[], date: WrittenMoment | null, now: Date): string | null {
  const isShown = said.some(({ key }) => ['publish', 'published', 'public', 'dgpublish'].includes(key));
  if (!isShown) return 'its front matter has no publish: true, which Obsidian notes need to be public';
  return date && date.latest > now ? futureDate(date.latest) : null;
}
