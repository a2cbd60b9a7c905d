import { slugPattern } from '../../../shared/contract/fields.ts';
import { longestSlug } from '../../../shared/contract/limits.ts';
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

/**
 * What is to be published by itself later. What was due between the export and the import is a draft: nobody published it
 * there, as far as the export says.
 */
export function scheduled(at: Date | null, now: Date, notes: string[]) {
  if (at && at > now) {
    notes.push(`it will be published on ${minuteOf(at)}`);
    return { is_draft: true, publish_at: at.toISOString() };
  }
  notes.push(
    at
      ? `it was to be published on ${minuteOf(at)}, which has passed, so it is a draft here`
      : 'when it was to be published can not be read, so it is a draft here',
  );
  return { is_draft: true };
}

/** A draft for a reason. */
export function draftFor(why: string, notes: string[]) {
  notes.push(`${why}, so it is a draft here`);
  return { is_draft: true };
}

/** A moment for people. */
export const minuteOf = (moment: Date) => `${moment.toISOString().slice(0, 16).replace('T', ' ')} UTC`;

/** `text` without the marks that it ends with, however many: a pattern for that takes time by the square of their number. */
export function withoutEnding(text: string, mark: string): string {
  let end = text.length;
  while (text[end - 1] === mark) end -= 1;
  return text.slice(0, end);
}
