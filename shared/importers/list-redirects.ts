import { canonicalPath, isServed } from '../contract/features/redirects.ts';
import { sitePaths } from '../contract/site-paths.ts';
import type { ForeignRecord } from './foreign-record.ts';

/** List page of an old site, by tag, author or section. */
interface OldList {
  /** Path of the page, such as `/tag/tea`. */
  path: string;
  /** Path of the list's feed below `path`, such as `rss.xml`; null if it has none. */
  feed: string | null;
}

const listAt = ({ path, feed }: OldList, list: string, feedHere: string): [string, string][] => [
  [path, list],
  ...(feed === null ? [] : [[`${path}/${feed}`, feedHere] satisfies [string, string]]),
];

/** Returns pairs of an old and a new path: of the list of a tag, and of its feed. */
export function listsOfTag(tag: string, old: OldList) {
  const here = sitePaths.tag.replace(':tag', () => encodeURIComponent(tag.toWellFormed().normalize('NFC')));
  return listAt(old, here, `${here}/feed.xml`);
}

/**
 * Returns pairs of an old and a new path, of a list by author or section and of its feed. The new list is that of all
 * posts, since such lists do not exist here.
 */
export const listsOfAll = (old: OldList) => listAt(old, sitePaths.posts, sitePaths.atom);

/** Maximum number of redirects from lists, so that most of a site's redirects are left for the owner. */
const maxLists = 4_000;

/** Yields records, and after them redirects from old lists of public records. Lists with only other records stay private. */
export async function* withOldLists(records: AsyncIterable<ForeignRecord>): AsyncGenerator<ForeignRecord> {
  const lists = new Map<string, string>();
  for await (const record of records) {
    yield record;
    const { is_draft, visibility = 'public' } = record.values ?? {};
    if (is_draft !== false || visibility !== 'public') continue;
    for (const [from, to] of record.lists ?? [])
      if (lists.size < maxLists && !lists.has(from)) lists.set(from, to);
  }
  for (const [path, to] of lists) {
    const from = canonicalPath(path);
    if (from === null || from === canonicalPath(to) || isServed(from)) continue;
    const values = { from, to, permanent: true, collection: '', record_id: '' };
    yield { collection: 'redirects', sourceId: from, title: from, values };
  }
}
