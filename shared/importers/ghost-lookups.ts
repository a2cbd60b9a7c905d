import { z } from 'zod';
import { comparableEmail } from '../contract/email.ts';
import { jsonRows } from './json-rows.ts';
import type { FileContent } from './source-file.ts';

export const text = z.string().nullish();
/** Text of secondary importance. An invalid value must not discard the rest of its row, such as who may read it. */
export const besideText = text.catch(null);
export const timestamp = z.union([z.string(), z.number()]).nullish();

export const id = z.union([z.string(), z.number()]).transform(String);

/** Row of `posts_meta`, a table with these fields of posts. Earlier versions of Ghost stored them in `posts`. */
const GhostMeta = z.looseObject({
  post_id: id,
  meta_title: besideText,
  meta_description: besideText,
  feature_image_alt: besideText,
  feature_image_caption: besideText,
  email_only: z.unknown().optional(),
});

/** Data that rows refer to, collected in a first pass over the file. */
class GhostLookups {
  readonly now: Date;
  tags = new Map<string, { name: string; slug: string; isInternal: boolean }>();
  /** Rows of `posts_meta`, by post ID. */
  metaOfPost = new Map<string, z.infer<typeof GhostMeta>>();
  /** URL patterns of posts with placeholders, such as `/:year/:slug/`. */
  permalinks: string[] = [];
  tagsOfPost = new Map<string, string[]>();
  /** Slugs of authors, by ID. */
  authors = new Map<string, string>();
  authorsOfPost = new Map<string, string[]>();
  /** URL patterns of lists by tag and by author. */
  taxonomies = { tag: '/tag/{slug}/', author: '/author/{slug}/' };
  labels = new Map<string, string>();
  labelsOfMember = new Map<string, string[]>();
  payingMembers = new Set<string>();
  subscribedMembers = new Set<string>();
  /** Reasons why Ghost no longer mails an address, such as `bounce` or `spam`. */
  suppressed = new Map<string, string>();
  /** Settings of the old site, for a note. */
  settings = new Map<string, string>();
  /** Reasons to import all posts, or all posts and pages, as drafts; null if there are none. */
  closed: { posts: string | null; all: string | null } = { posts: null, all: null };
  /** Hash with which the old site's database identifies itself. */
  databaseHash: string | null = null;
  /** True if IDs are numbers, which other sites may have, too. */
  countsIds = false;
  /** Number of rows of each table that is not imported. */
  excluded = new Map<string, number>();

  constructor(now: Date) {
    this.now = now;
  }
}

export type { GhostLookups };

export const records = ['posts', 'members'] as const;

type Reader = (row: unknown, lookups: GhostLookups) => void;

const reading =
  <Contract extends z.ZodType>(
    contract: Contract,
    read: (row: z.infer<Contract>, lookups: GhostLookups) => void,
  ): Reader =>
  (row, lookups) => {
    const known = contract.safeParse(row);
    if (known.success) read(known.data, lookups);
  };

function add(lists: Map<string, string[]>, key: string, value: string) {
  const known = lists.get(key);
  if (known) known.push(value);
  else lists.set(key, [value]);
}

/** Form of IDs that are globally unique: 12 bytes in hexadecimal, in Ghost since version 1. */
const ownId = /^[0-9a-f]{24}$/;

/** Settings of a Ghost site that a note repeats for the owner: an import does not change settings. */
const ownSettings = [
  ...(['title', 'description', 'accent_color', 'logo', 'icon', 'cover_image'] as const),
  ...(['lang', 'locale', 'timezone', 'navigation', 'secondary_navigation'] as const),
  ...(['facebook', 'twitter', 'instagram', 'linkedin', 'threads', 'bluesky', 'mastodon'] as const),
  ...(['youtube', 'tiktok', 'codeinjection_head', 'codeinjection_foot'] as const),
] as const;

const settingReaders = [
  reading(
    z.object({ key: z.enum(['db_hash', 'dbHash']), value: z.string().min(1).max(100) }),
    ({ value }, lookups) => {
      lookups.databaseHash = value;
    },
  ),
  reading(
    z.object({ key: z.literal('permalinks'), value: z.string().min(1).max(1_000) }),
    ({ value }, { permalinks }) => permalinks.push(value),
  ),
  reading(
    z.object({ key: z.literal('is_private'), value: z.union([z.string(), z.boolean(), z.number()]) }),
    ({ value }, { closed }) => {
      if (!['', '0', 'false'].includes(String(value))) closed.all = 'the old site had a password';
    },
  ),
  reading(
    z.object({ key: z.enum(ownSettings), value: z.string().min(1).max(100_000) }),
    ({ key, value }, { settings }) => settings.set(key, value),
  ),
];

const readers: Readonly<Record<string, Reader>> = {
  settings(row, lookups) {
    for (const read of settingReaders) read(row, lookups);
  },
  tags: reading(
    z.object({ id, name: z.string(), slug: besideText, visibility: text }),
    ({ id, name, slug, visibility }, { tags }) =>
      tags.set(id, { name, slug: slug ?? '', isInternal: visibility === 'internal' || name.startsWith('#') }),
  ),
  users: reading(z.object({ id, slug: z.string().min(1) }), ({ id, slug }, { authors }) =>
    authors.set(id, slug),
  ),
  posts: reading(z.object({ id }), (row, lookups) => {
    lookups.countsIds ||= !ownId.test(row.id);
  }),
  posts_meta: reading(GhostMeta, (meta, { metaOfPost }) => metaOfPost.set(meta.post_id, meta)),
  posts_tags: reading(z.object({ post_id: id, tag_id: id }), ({ post_id, tag_id }, { tagsOfPost }) =>
    add(tagsOfPost, post_id, tag_id),
  ),
  posts_authors: reading(
    z.object({ post_id: id, author_id: id }),
    ({ post_id, author_id }, { authorsOfPost }) => add(authorsOfPost, post_id, author_id),
  ),
  labels: reading(z.object({ id, name: z.string() }), ({ id, name }, { labels }) => labels.set(id, name)),
  members_labels: reading(
    z.object({ member_id: id, label_id: id }),
    ({ member_id, label_id }, { labelsOfMember }) => add(labelsOfMember, member_id, label_id),
  ),
  members_products: reading(z.object({ member_id: id }), ({ member_id }, { payingMembers }) =>
    payingMembers.add(member_id),
  ),
  members_newsletters: reading(z.object({ member_id: id }), ({ member_id }, { subscribedMembers }) =>
    subscribedMembers.add(member_id),
  ),
  suppressions: reading(z.object({ email: z.string(), reason: besideText }), (row, { suppressed }) =>
    suppressed.set(comparableEmail(row.email), row.reason?.slice(0, 50) ?? 'no reason given'),
  ),
};

/** Tables of which the import uses some data, but whose rows it reports as not imported. */
const partlyUsed = ['settings', 'users', 'posts_authors', 'suppressions'];

/**
 * Reads a Ghost export. Collects the data that its posts and members refer to, and counts the rows of tables that are not
 * imported. Throws `SourceError` if the file is no JSON export.
 */
export async function lookUp(content: FileContent, now: Date): Promise<GhostLookups> {
  const lookups = new GhostLookups(now);
  for await (const { table, row } of jsonRows(content())) {
    const read = Object.hasOwn(readers, table) ? readers[table] : undefined;
    read?.(row, lookups);
    const isUsed = read && !partlyUsed.includes(table);
    if (!isUsed && !records.some((name) => name === table))
      lookups.excluded.set(table, (lookups.excluded.get(table) ?? 0) + 1);
  }
  return lookups;
}
