import { z } from 'zod';
import { comparableEmail } from '../contract/email.ts';
import {
  coverTextOf,
  draftFor,
  excerptOf,
  excluded,
  type ForeignRecord,
  futureDate,
  metaOf,
  scheduled,
  slugOf,
  tagsOf,
  unreadable,
  withoutEnding,
} from './foreign-record.ts';
import { besideText, type GhostLookups, id, text, timestamp } from './ghost-lookups.ts';
import { listsOfAll, listsOfTag } from './list-redirects.ts';
import { addressOf } from './markdown-places.ts';
import { explain } from './notes.ts';
import { parseTime } from './parse-time.ts';

const flag = z.union([z.boolean(), z.number()]).nullish();

const GhostPost = z.looseObject({
  id,
  title: text,
  slug: text,
  html: text,
  lexical: text,
  mobiledoc: text,
  feature_image: text,
  feature_image_alt: besideText,
  feature_image_caption: besideText,
  meta_title: text,
  meta_description: text,
  custom_excerpt: text,
  featured: flag,
  type: text,
  /** Flag of pages in exports before version 3. */
  page: flag,
  status: text,
  visibility: text,
  created_at: timestamp,
  updated_at: timestamp,
  published_at: timestamp,
});

/** Placeholder for the site's URL in exports. */
export const ghostAddress = '__GHOST_URL__';

/** Access tiers here by a post's visibility in Ghost. A paid subscription becomes membership. */
const tiers: ReadonlyMap<string, string> = new Map([
  ['public', 'free'],
  ['members', 'registered'],
  ['paid', 'members'],
  ['tiers', 'members'],
]);

/**
 * Converts a row of Ghost's posts to a post or a page. The values are null if it is not imported. `position` is its
 * number, for a row that cannot be read.
 */
export function postOf(row: unknown, lookups: GhostLookups, position: number): ForeignRecord {
  const known = GhostPost.safeParse(row);
  if (!known.success)
    return unreadable(
      { collection: 'posts', sourceId: `row ${position}` },
      row === undefined ? 'it cannot be read or is larger than 8 MB' : explain(known.error),
    );
  const { data } = known;
  const collection = data.type === 'page' || data.page ? 'pages' : 'posts';
  const about = { collection, sourceId: data.id, title: data.title ?? '' };
  if (!data.html && (data.lexical || data.mobiledoc))
    return unreadable(about, 'the export has its text only in the format of Ghost’s editor, without HTML');
  const notes: string[] = [];
  const values = {
    title: data.title || '(untitled)',
    slug: slugOf(collection, data.slug ?? '', notes),
    content: data.html ?? '',
    ...(collection === 'posts' && postFields(data, lookups, notes)),
    ...metaFields(data, lookups, notes),
    ...publicationOf(data, collection, lookups, notes),
  };
  const addresses = addressesOf(data, collection, lookups);
  const meta = lookups.metaOfPost.get(data.id);
  const coverText = coverTextOf(
    data.feature_image_alt || meta?.feature_image_alt || '',
    data.feature_image_caption || meta?.feature_image_caption || '',
    notes,
  );
  return {
    ...about,
    values,
    notes,
    ...{ cover: data.feature_image ?? '', coverText },
    places: addresses.map(addressOf),
    addresses,
    ...(collection === 'posts' && { lists: listsOf(data.id, lookups) }),
    created:
      parseTime(data.created_at) ?? (data.status === 'scheduled' ? null : parseTime(data.published_at)),
    updated: parseTime(data.updated_at),
  };
}

type Post = z.infer<typeof GhostPost>;

/** Returns whether a post was sent only by email and never shown on the site. */
const isMailOnly = ({ id }: Post, { metaOfPost }: GhostLookups) =>
  !['', '0', 'false', 'null', 'undefined'].includes(String(metaOfPost.get(id)?.email_only));

function publicationOf(post: Post, collection: 'posts' | 'pages', lookups: GhostLookups, notes: string[]) {
  const { now, closed } = lookups;
  const { status, html } = post;
  const isPage = collection === 'pages';
  const date = parseTime(post.published_at ?? post.created_at);
  if (status === 'draft') return draftFor('the original was a draft', notes);
  if (status !== 'published' && status !== 'scheduled' && status !== 'sent')
    return draftFor(
      status ? `the original had the unknown status “${status}”` : 'the export does not state its status',
      notes,
    );
  if (isPage && post.visibility && post.visibility !== 'public')
    return draftFor(
      `the original was not for everyone (${post.visibility.slice(0, 50)}), and pages have no access tiers`,
      notes,
    );
  const why = closed.all ?? (isPage ? null : closed.posts);
  if (why !== null) return draftFor(why, notes);
  if (html && hasGatedBlock(html)) return draftFor('a part of the original was for members only', notes);
  if (status === 'scheduled' && isMailOnly(post, lookups))
    return draftFor('the original was an unsent email', notes);
  if (status === 'scheduled') return scheduled(parseTime(post.published_at), now, notes);
  if (date && date > now) return draftFor(futureDate(date), notes);
  const published = isPage ? {} : { published_at: date?.toISOString() ?? null };
  if (status === 'published') return { is_draft: false, visibility: 'public', ...published };
  notes.push('Imported as private: the original was sent by email only');
  return { is_draft: false, visibility: 'private', ...published };
}

/** Fields of posts without an equivalent here. */
const unsupportedFields = [
  ...['canonical_url', 'codeinjection_head', 'codeinjection_foot', 'custom_template'],
  ...['og_title', 'og_description', 'og_image', 'twitter_title'],
  ...['twitter_description', 'twitter_image', 'email_subject', 'frontmatter'],
] as const;

function metaFields(post: Post, { metaOfPost }: GhostLookups, notes: string[]) {
  const meta = metaOfPost.get(post.id);
  const all: Readonly<Record<string, unknown>> = { ...post, ...meta };
  const left = unsupportedFields.filter((name) => all[name]);
  if (left.length > 0) notes.push(`Fields not imported: ${left.join(', ')}`);
  return metaOf(
    post.meta_title || meta?.meta_title || '',
    post.meta_description || meta?.meta_description || '',
    notes,
  );
}

/** Paths of a post: by its slug, and by the URL patterns of the export. */
function addressesOf(post: Post, collection: string, { permalinks, tags, tagsOfPost }: GhostLookups) {
  const { slug, id } = post;
  if (!slug) return [];
  const [year, month, day] = parseTime(post.published_at)?.toISOString().slice(0, 10).split('-') ?? [];
  const tag = tagsOfPost.get(id)?.flatMap((each) => tags.get(each) ?? [])[0]?.slug;
  const parts = new Map(Object.entries({ slug, id, year, month, day, tag, primary_tag: tag }));
  const followed = permalinks.map((pattern) =>
    pattern.replace(/:(\w+)|\{(\w+)\}/g, (written, name, braced) => parts.get(name ?? braced) ?? written),
  );
  const known = collection === 'posts' ? followed.filter((address) => !/[:{}]/.test(address)) : [];
  return [...known, `/${slug}/`];
}

/** Returns whether a post has a part that visitors cannot see. */
const hasGatedBlock = (html: string) =>
  html
    .split('<!--kg-gated-block:begin')
    .some((block, index) => index > 0 && !/\bnonMember:true/.test(block.split('-->', 1).join('')));

function postFields(data: Post, { tags, tagsOfPost }: GhostLookups, notes: string[]) {
  const given = (tagsOfPost.get(data.id) ?? []).flatMap((tag) => tags.get(tag) ?? []);
  const internal = given.filter(({ isInternal }) => isInternal).map(({ name }) => name);
  if (internal.length > 0) notes.push(`Internal tags not imported: ${internal.join(', ')}`);
  if (data.visibility === 'tiers')
    notes.push('Access tier changed to members: this site has no separate paid tiers');
  return {
    excerpt: excerptOf(data.custom_excerpt ?? '', notes),
    featured: Boolean(data.featured),
    tags: tagsOf(
      given.filter(({ isInternal }) => !isInternal).map(({ name }) => name),
      notes,
    ),
    access_tier: tiers.get(data.visibility || 'public') ?? String(data.visibility).slice(0, 50),
  };
}

const GhostMember = z.object({
  id,
  email: z.string(),
  name: text,
  status: text,
  subscribed: flag,
  /** Set if email to the member bounced, or was reported as spam. */
  email_disabled: z.unknown().optional(),
  created_at: timestamp,
  updated_at: timestamp,
  last_seen_at: timestamp,
});

/**
 * Converts a row of Ghost's members. Members who pay, or have complimentary access, get the `members` tier. The values
 * are null for a row that cannot be read; `position` is its number.
 */
export function memberOf(row: unknown, lookups: GhostLookups, position: number): ForeignRecord {
  const known = GhostMember.safeParse(row);
  if (!known.success)
    return unreadable({ collection: 'members', sourceId: `row ${position}` }, explain(known.error));
  const { id, email, name, status, ...data } = known.data;
  const isPaying = status === 'paid' || status === 'comped' || lookups.payingMembers.has(id);
  const labels = (lookups.labelsOfMember.get(id) ?? []).flatMap((label) => lookups.labels.get(label) ?? []);
  return {
    collection: 'members',
    sourceId: id,
    title: email,
    values: {
      email,
      name: name ?? '',
      status: 'active',
      access_tiers: isPaying ? ['members'] : [],
      last_seen_at: parseTime(data.last_seen_at)?.toISOString() ?? null,
    },
    created: parseTime(data.created_at),
    updated: parseTime(data.updated_at),
    notes: labels.length > 0 ? [`Labels not imported: ${labels.join(', ')}`] : [],
  };
}

/**
 * Converts a row of Ghost's members to a subscriber of the newsletter. Null for a member who does not subscribe, and
 * for a row that cannot be read. The values are null if Ghost stopped mailing the person.
 */
export function subscriberOf(row: unknown, lookups: GhostLookups): ForeignRecord | null {
  const known = GhostMember.safeParse(row);
  if (!known.success) return null;
  const { id, email, name, subscribed, created_at } = known.data;
  if (!subscribed && !lookups.subscribedMembers.has(id)) return null;
  const about = { collection: 'subscribers', sourceId: id, title: email };
  const why = whyStopped(known.data, lookups);
  if (why !== null) return excluded(about, `Ghost no longer sends mail to this person (${why})`);
  return {
    ...about,
    values: { email, name: name ?? '', source: 'ghost' },
    created: parseTime(created_at),
  };
}

function whyStopped(
  { email, email_disabled }: z.infer<typeof GhostMember>,
  { suppressed }: GhostLookups,
): string | null {
  const reason = suppressed.get(comparableEmail(email));
  if (reason !== undefined) return `suppressions: ${reason}`;
  const isEnabled = [undefined, null, false, 0, '0', '', 'false'].some((value) => value === email_disabled);
  return isEnabled ? null : 'email_disabled';
}

/** Placeholder for the slug in the URL pattern of a list. */
export const slugKey = /:slug|\{slug\}/;

function listsOf(id: string, { tags, tagsOfPost, authors, authorsOfPost, taxonomies }: GhostLookups) {
  const at = (pattern: string, slug: string) => ({
    path: withoutEnding(
      pattern.replace(slugKey, () => slug),
      '/',
    ),
    feed: 'rss',
  });
  const given = (tagsOfPost.get(id) ?? []).flatMap((tag) => tags.get(tag) ?? []);
  return new Map([
    ...given.flatMap(({ name, slug, isInternal }) =>
      isInternal || slug === '' ? [] : listsOfTag(name.trim(), at(taxonomies.tag, slug)),
    ),
    ...(authorsOfPost.get(id) ?? [])
      .flatMap((author) => authors.get(author) ?? [])
      .flatMap((slug) => listsOfAll(at(taxonomies.author, slug))),
  ]);
}
