import { z } from 'zod';
import { explain } from './explain.ts';
import {
  draftFor,
  excerptOf,
  type ForeignRecord,
  minuteOf,
  scheduled,
  slugOf,
  tagsOf,
} from './foreign-record.ts';
import type { GhostLookups } from './ghost-lookups.ts';
import { addressOf } from './markdown-places.ts';
import { momentOf } from './moments.ts';

const text = z.string().nullish();
const flag = z.union([z.boolean(), z.number()]).nullish();
const moment = z.union([z.string(), z.number()]).nullish();

const GhostPost = z.object({
  id: z.union([z.string(), z.number()]).transform(String),
  title: text,
  slug: text,
  html: text,
  lexical: text,
  mobiledoc: text,
  feature_image: text,
  custom_excerpt: text,
  featured: flag,
  type: text,
  /** Of exports before version 3. */
  page: flag,
  status: text,
  visibility: text,
  created_at: moment,
  updated_at: moment,
  published_at: moment,
});

const GhostMember = z.object({
  id: z.union([z.string(), z.number()]).transform(String),
  email: z.string(),
  name: text,
  status: text,
  subscribed: flag,
  created_at: moment,
  updated_at: moment,
  last_seen_at: moment,
});

/** What Ghost's own address stands as in exports. */
export const ghostAddress = '__GHOST_URL__';

/** Who may read a post there, and which tier that is here: a paid one of Ghost is a membership. */
const tiers: Readonly<Record<string, string>> = {
  public: 'free',
  members: 'registered',
  paid: 'members',
  tiers: 'members',
};

const unreadable = (collection: string, place: number, notes: string[]): ForeignRecord => ({
  collection,
  sourceId: `row ${place}`,
  title: '',
  values: null,
  notes,
});

/** A post or a page. */
export function postOf(row: unknown, lookups: GhostLookups, place: number): ForeignRecord {
  const known = GhostPost.safeParse(row);
  if (!known.success)
    return unreadable('posts', place, [
      row === undefined ? 'can not be read, or is too long' : explain(known.error),
    ]);
  const { data } = known;
  const collection = data.type === 'page' || data.page ? 'pages' : 'posts';
  const about = { collection, sourceId: data.id, title: data.title ?? '' };
  if (!data.html && (data.lexical || data.mobiledoc))
    return { ...about, values: null, notes: ['its body is in the editor’s own form, without HTML'] };
  const notes: string[] = [];
  const values = {
    title: data.title || '(untitled)',
    slug: slugOf(collection, data.slug ?? '', notes),
    content: data.html ?? '',
    ...(collection === 'posts' && postFields(data, lookups, notes)),
    ...stateOf(data, collection, lookups.now, notes),
  };
  return {
    ...about,
    values,
    notes,
    cover: data.feature_image ?? '',
    places: data.slug ? [addressOf(`/${data.slug}/`)] : [],
    created: momentOf(data.created_at) ?? (data.status === 'scheduled' ? null : momentOf(data.published_at)),
    updated: momentOf(data.updated_at),
  };
}

type Post = z.infer<typeof GhostPost>;

function stateOf(post: Post, collection: 'posts' | 'pages', now: Date, notes: string[]) {
  const { status, html } = post;
  const isPage = collection === 'pages';
  const date = momentOf(post.published_at ?? post.created_at);
  if (status !== 'published' && status !== 'scheduled' && status !== 'sent')
    return draftFor(
      status === 'draft' ? 'it was a draft' : `its status there was ${status ?? 'not said'}`,
      notes,
    );
  if (isPage && post.visibility && post.visibility !== 'public')
    return draftFor(
      `it is not for everybody there (${post.visibility.slice(0, 50)}), and pages have no tiers`,
      notes,
    );
  if (html && hasGatedBlock(html)) return draftFor('a part of it is for members only', notes);
  if (status === 'scheduled') return scheduled(momentOf(post.published_at), now, notes);
  if (date && date > now) return draftFor(`its date is ${minuteOf(date)}`, notes);
  const published = isPage ? {} : { published_at: date?.toISOString() ?? null };
  if (status === 'published') return { is_draft: false, visibility: 'public', ...published };
  notes.push('it was sent by e-mail only, so it is private here');
  return { is_draft: false, visibility: 'private', ...published };
}

/** A part that visitors of the site don't see. */
const hasGatedBlock = (html: string) =>
  html
    .split('<!--kg-gated-block:begin')
    .some((block, index) => index > 0 && !/\bnonMember:true/.test(block.split('-->', 1).join('')));

function postFields(data: Post, { tags, tagsOfPost }: GhostLookups, notes: string[]) {
  const given = (tagsOfPost.get(data.id) ?? []).flatMap((tag) => tags.get(tag) ?? []);
  const internal = given.filter(({ isInternal }) => isInternal).map(({ name }) => name);
  if (internal.length > 0) notes.push(`internal tags left out: ${internal.join(', ')}`);
  if (data.visibility === 'tiers') notes.push('its tiers became the one of members');
  return {
    excerpt: excerptOf(data.custom_excerpt ?? '', notes),
    featured: Boolean(data.featured),
    tags: tagsOf(
      given.filter(({ isInternal }) => !isInternal).map(({ name }) => name),
      notes,
    ),
    access_tier: tiers[data.visibility || 'public'] ?? String(data.visibility).slice(0, 50),
  };
}

/** Somebody with an account; who pays, or is let in for nothing, holds the tier of members. */
export function memberOf(row: unknown, lookups: GhostLookups, place: number): ForeignRecord {
  const known = GhostMember.safeParse(row);
  if (!known.success) return unreadable('members', place, [explain(known.error)]);
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
      last_seen_at: momentOf(data.last_seen_at)?.toISOString() ?? null,
    },
    created: momentOf(data.created_at),
    updated: momentOf(data.updated_at),
    notes: labels.length > 0 ? [`labels left out: ${labels.join(', ')}`] : [],
  };
}

/** The same person on the list of the newsletter; null for who is not. */
export function subscriberOf(row: unknown, lookups: GhostLookups): ForeignRecord | null {
  const known = GhostMember.safeParse(row);
  if (!known.success) return null;
  const { id, email, name, subscribed, created_at } = known.data;
  if (!subscribed && !lookups.subscribedMembers.has(id)) return null;
  return {
    collection: 'subscribers',
    sourceId: id,
    title: email,
    values: { email, name: name ?? '', source: 'ghost' },
    created: momentOf(created_at),
  };
}
