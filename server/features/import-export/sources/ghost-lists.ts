import { withoutEnding } from './foreign-record.ts';
import type { GhostLookups } from './ghost-lookups.ts';
import { listsOfAll, listsOfTag } from './old-lists.ts';

/** In the address of a list, what differs from one to the other. */
export const slugPlace = /:slug|\{slug\}/;

/** Lists that a post was in. */
export function listsOf(id: string, { tags, tagsOfPost, authors, authorsOfPost, taxonomies }: GhostLookups) {
  const at = (pattern: string, slug: string) => ({
    path: withoutEnding(
      pattern.replace(slugPlace, () => slug),
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
