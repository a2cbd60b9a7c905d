import { canonicalPath, isServed } from '../contract/features/redirects.ts';
import { sitePaths } from '../contract/site-paths.ts';
import type { ForeignRecord } from './foreign-record.ts';

/** Lists by tag or author at an old site: what their address begins with, and what else it goes on with. */
interface OldList {
  path: string;
  feed: string | null;
}

const listAt = ({ path, feed }: OldList, list: string, feedHere: string): [string, string][] => [
  [path, list],
  ...(feed === null ? [] : [[`${path}/${feed}`, feedHere] satisfies [string, string]]),
];

/** Where the list of a tag is here, and its feed. */
export function listsOfTag(tag: string, old: OldList) {
  const here = sitePaths.tag.replace(':tag', () => encodeURIComponent(tag.toWellFormed().normalize('NFC')));
  return listAt(old, here, `${here}/feed.xml`);
}

/** What one person wrote, or what is in one section, has no list of its own here. */
export const listsOfAll = (old: OldList) => listAt(old, sitePaths.posts, sitePaths.atom);

/** Addresses of lists that are taken along: most of a site's redirects are left to its owner. */
const mostLists = 4_000;

/** Yields records, and after them redirects from old lists of public records. Lists of other records stay secret. */
export async function* withOldLists(records: AsyncIterable<ForeignRecord>): AsyncGenerator<ForeignRecord> {
  const lists = new Map<string, string>();
  for await (const record of records) {
    yield record;
    const { is_draft, visibility = 'public' } = record.values ?? {};
    if (is_draft !== false || visibility !== 'public') continue;
    for (const [from, to] of record.lists ?? [])
      if (lists.size < mostLists && !lists.has(from)) lists.set(from, to);
  }
  for (const [path, to] of lists) {
    const from = canonicalPath(path);
    if (from === null || from === canonicalPath(to) || isServed(from)) continue;
    const values = { from, to, permanent: true, collection: '', record_id: '' };
    yield { collection: 'redirects', sourceId: from, title: from, values };
  }
}
