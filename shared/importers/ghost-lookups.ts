import { z } from 'zod';
import { comparableEmail } from '../contract/email.ts';
import { jsonRows } from './json-rows.ts';
import type { FileContent } from './source-file.ts';

export const text = z.string().nullish();
/** Text of secondary importance. An invalid value must not discard the rest of its row, such as who may read it. */
export const besideText = text.catch(null);
export const timestamp = z.union([z.string(), z.number()]).nullish();

const id = z.union([z.string(), z.number()]).transform(String);

/** Row of `posts_meta`, a table with these fields of posts. Earlier versions of Ghost stored them in `posts`. */
const GhostMeta = z.looseObject({
  post_id: id,
  meta_title: besideText,
  meta_description: besideText,
  feature_image_alt: besideText,
  feature_image_caption: besideText,
  email_only: z.unknown().optional(),
});

type GhostMeta = z.infer<typeof GhostMeta>;

/** Data that rows refer to, collected in a first pass over the file. */
export interface GhostLookups {
  now: Date;
  tags: Map<string, { name: string; slug: string; isInternal: boolean }>;
  /** Rows of `posts_meta`, by post ID. */
  metaOfPost: Map<string, GhostMeta>;
  /** URL patterns of posts with placeholders, such as `/:year/:slug/`. */
  permalinks: string[];
  tagsOfPost: Map<string, string[]>;
  /** Slugs of authors, by ID. */
  authors: Map<string, string>;
  authorsOfPost: Map<string, string[]>;
  /** URL patterns of lists by tag and by author. */
  taxonomies: { tag: string; author: string };
  labels: Map<string, string>;
  labelsOfMember: Map<string, string[]>;
  payingMembers: Set<string>;
  subscribedMembers: Set<string>;
  /** Reasons why Ghost no longer mails an address, such as `bounce` or `spam`. */
  suppressed: Map<string, string>;
  /** Settings of the old site, for a note. */
  settings: Map<string, string>;
  /** Reasons to import all posts, or all posts and pages, as drafts; null if there are none. */
  closed: { posts: string | null; all: string | null };
  /** Hash with which the old site's database identifies itself. */
  databaseHash: string | null;
  /** True if IDs are numbers, which other sites may have, too. */
  countsIds: boolean;
  /** Number of rows of each table that is not imported. */
  excluded: Map<string, number>;
}

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

const lookupTables: Readonly<Record<string, Reader>> = {
  tags: reading(
    z.object({ id, name: z.string(), slug: besideText, visibility: text }),
    ({ id, name, slug, visibility }, { tags }) =>
      tags.set(id, { name, slug: slug ?? '', isInternal: visibility === 'internal' || name.startsWith('#') }),
  ),
  posts_meta: reading(GhostMeta, (meta, { metaOfPost }) => metaOfPost.set(meta.post_id, meta)),
  posts_tags: reading(z.object({ post_id: id, tag_id: id }), ({ post_id, tag_id }, { tagsOfPost }) =>
    add(tagsOfPost, post_id, tag_id),
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
};

const readSuppression = reading(z.object({ email: z.string(), reason: besideText }), (row, { suppressed }) =>
  suppressed.set(comparableEmail(row.email), row.reason?.slice(0, 50) ?? 'no reason given'),
);

/** Form of IDs that are globally unique: 12 bytes in hexadecimal, in Ghost since version 1. */
const ownId = /^[0-9a-f]{24}$/;

const readId = reading(z.object({ id }), (row, lookups) => {
  lookups.countsIds ||= !ownId.test(row.id);
});

const readSetting = reading(
  z.object({ key: z.enum(['db_hash', 'dbHash']), value: z.string().min(1).max(100) }),
  ({ value }, lookups) => {
    lookups.databaseHash = value;
  },
);

const readPrivacy = reading(
  z.object({ key: z.literal('is_private'), value: z.union([z.string(), z.boolean(), z.number()]) }),
  ({ value }, { closed }) => {
    if (!['', '0', 'false'].includes(String(value))) closed.all = 'the old site had a password';
  },
);

const readPermalinks = reading(
  z.object({ key: z.literal('permalinks'), value: z.string().min(1).max(1_000) }),
  ({ value }, { permalinks }) => permalinks.push(value),
);

/** Settings of a Ghost site that a note repeats for the owner: an import does not change settings. */
const ownSettings = [
  ...(['title', 'description', 'accent_color', 'logo', 'icon', 'cover_image'] as const),
  ...(['lang', 'locale', 'timezone', 'navigation', 'secondary_navigation'] as const),
  ...(['facebook', 'twitter', 'instagram', 'linkedin', 'threads', 'bluesky', 'mastodon'] as const),
  ...(['youtube', 'tiktok', 'codeinjection_head', 'codeinjection_foot'] as const),
] as const;

const readOwn = reading(
  z.object({ key: z.enum(ownSettings), value: z.string().min(1).max(100_000) }),
  ({ key, value }, { settings }) => settings.set(key, value),
);

const readAuthor = reading(z.object({ id, slug: z.string().min(1) }), ({ id, slug }, { authors }) =>
  authors.set(id, slug),
);

const readAuthorOfPost = reading(
  z.object({ post_id: id, author_id: id }),
  ({ post_id, author_id }, { authorsOfPost }) => add(authorsOfPost, post_id, author_id),
);

/** Functions that collect data from tables whose rows also become records, or are counted as not imported. */
const besides: ReadonlyMap<string, readonly Reader[]> = new Map([
  ['settings', [readSetting, readPermalinks, readPrivacy, readOwn]],
  ['posts', [readId]],
  ['users', [readAuthor]],
  ['suppressions', [readSuppression]],
  ['posts_authors', [readAuthorOfPost]],
]);

/**
 * Reads a Ghost export. Collects the data that its posts and members refer to, and counts the rows of tables that are not
 * imported. Throws `SourceError` if the file is no JSON export.
 */
export async function lookUp(content: FileContent, now: Date): Promise<GhostLookups> {
  const lookups: GhostLookups = {
    now,
    tags: new Map(),
    metaOfPost: new Map(),
    permalinks: [],
    tagsOfPost: new Map(),
    authors: new Map(),
    authorsOfPost: new Map(),
    taxonomies: { tag: '/tag/{slug}/', author: '/author/{slug}/' },
    labels: new Map(),
    labelsOfMember: new Map(),
    payingMembers: new Set(),
    subscribedMembers: new Set(),
    suppressed: new Map(),
    settings: new Map(),
    closed: { posts: null, all: null },
    databaseHash: null,
    countsIds: false,
    excluded: new Map(),
  };
  for await (const { table, row } of jsonRows(content())) {
    for (const read of besides.get(table) ?? []) read(row, lookups);
    const read = Object.hasOwn(lookupTables, table) ? lookupTables[table] : undefined;
    read?.(row, lookups);
    if (!read && !records.some((name) => name === table))
      lookups.excluded.set(table, (lookups.excluded.get(table) ?? 0) + 1);
  }
  return lookups;
}
