import { type FrontMatter, matterOf } from './front-matter.ts';

/** A name of front matter that a publication is read from, whatever way it is written: `is_draft`, `isDraft`, `Draft`. */
const plainName = (name: string) =>
  name
    .toLowerCase()
    .replace(/[\s_-]/g, '')
    .replace(/^is(?=.{5})/, '');

/** Names that hide a text unless they say no. */
export const hiding = [
  ...['draft', 'private', 'hidden', 'unpublished', 'protected', 'headless', 'archived', 'trashed', 'deleted'],
  ...['internal', 'confidential', 'secret', 'membersonly', 'memberonly', 'paid', 'premium', 'wip'],
];

/** Names that show it; any that doesn't say yes hides it. */
export const showing = ['published', 'publish', 'public', 'dgpublish', 'permalink', 'build'];

/** Names that may say so in a word. */
export const wording = ['status', 'poststatus', 'visibility', 'access'];

/** Names of the moment that something is published at, before all others the one that says so. */
export const publishedAt = [
  ...['embargo', 'embargountil', 'publishat', 'publishon', 'publishafter', 'scheduledat', 'scheduledfor'],
  ...['publishdate', 'publishedat', 'pubdate', 'published', 'date'],
];

export const expiringAt = ['expirydate', 'unpublishdate', 'expires', 'expiresat', 'unpublishat'];

/** Names by which a text is in no list. */
export const unlisting = [
  ...['unlisted', 'eleventyexcludefromcollections', 'noindex', 'robots', 'sitemap', 'searchhidden'],
];

const all: ReadonlySet<string> = new Set([
  ...[...hiding, ...showing, ...wording, 'password', 'eleventycomputed'],
  ...[...publishedAt, ...expiringAt, ...unlisting],
]);

export const isOfPublication = (name: string) => all.has(plainName(name));

/** What front matter says of its publication. */
export interface Said {
  /** The name in its one form. */
  key: string;
  /** As it is written. */
  name: string;
  value: unknown;
}

/** What is computed from others (Eleventy) counts as if it was said as well. */
export const saidBy = (matter: FrontMatter): Said[] =>
  [...matter, ...matterOf(matter.get('eleventycomputed'))].map(([name, value]) => ({
    ...{ key: plainName(name), name, value },
  }));
