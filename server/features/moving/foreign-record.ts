import { slugPattern } from '../../../shared/contract/fields.ts';
import { longestSlug } from '../../../shared/contract/limits.ts';
import { parseDateTime } from '../../../shared/contract/moments.ts';
import { allResources } from '../../../shared/contract/resources/index.ts';

/** What another system gave away, a record at a time. */
export interface ForeignSite {
  /** The system, and which of its sites: what was imported is known by it. */
  source: string;
  records: AsyncIterable<ForeignRecord>;
}

/** A record of another system, as far as this one has a place for it. */
export interface ForeignRecord {
  /** Where it goes; for what goes nowhere, what it is. */
  collection: string;
  sourceId: string;
  title: string;
  /** Its fields; null for what is not taken. */
  values: Readonly<Record<string, unknown>> | null;
  created?: Date | null;
  updated?: Date | null;
  /** What of it is not as it was, or why it is not taken. */
  notes?: readonly string[];
  /** It is not taken on purpose, rather than for a fault. */
  isLeftOut?: boolean;
}

/** Longest excerpt of a post, and the most and longest tags. */
const longest = { excerpt: 1_000, tag: 200, tags: 100 } as const;

/** A teaser that fits; what is cut off is noted. */
export function excerptOf(text: string, notes: string[]): string {
  if (text.length <= longest.excerpt) return text;
  notes.push(`excerpt: cut to ${longest.excerpt} characters`);
  return text.slice(0, longest.excerpt).toWellFormed();
}

/** Tags, each once; those that don't fit are noted. */
export function tagsOf(names: readonly string[], notes: string[]): string[] {
  const each = [...new Set(names.map((name) => name.trim()).filter(Boolean))];
  const fitting = each.filter(({ length }) => length <= longest.tag).slice(0, longest.tags);
  if (fitting.length < each.length) notes.push(`tags: ${each.length - fitting.length} left out`);
  return fitting;
}

/** A slug as it was, or none where it can't be one here: then the title makes it. */
export function slugOf(collection: 'posts' | 'pages', slug: string, notes: string[]): string {
  const { reservedSlugs } = allResources[collection];
  if (slug === '') return '';
  if (slug.length <= longestSlug && slugPattern.test(slug) && !reservedSlugs?.has(slug)) return slug;
  notes.push(`slug: ${slug.slice(0, 100)} can not be one here, the title makes another`);
  return '';
}

/** A moment in any of the forms that other systems write: RFC 3339, the same without a zone (UTC), or milliseconds. */
export function momentOf(value: unknown): Date | null {
  if (value instanceof Date) return Number.isNaN(value.getTime()) ? null : value;
  if (typeof value === 'number') return momentOf(new Date(value));
  if (typeof value !== 'string') return null;
  const text = value.trim();
  return parseDateTime(text) ?? parseDateTime(`${text}Z`) ?? parseDateTime(`${text}T00:00:00Z`);
}

/** When something is published: a draft that is due later, or at once. */
export const scheduled = (at: Date | null) => ({ is_draft: true, publish_at: at?.toISOString() ?? null });
