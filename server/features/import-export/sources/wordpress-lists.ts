import { listsOfAuthor, listsOfTag } from './old-lists.ts';
import { plainText } from './plain-text.ts';
import type { Item } from './wordpress-item.ts';

/** Kinds of terms that become tags. */
export const takenTerms: readonly string[] = ['category', 'post_tag'];

/** Lists that a post was in, where nobody chose other words for their addresses. */
export function listsOf(item: Item) {
  const at = (path: string) => ({ path, feed: 'feed' });
  // As WordPress makes the address of an author from how they sign in.
  const author = item['dc:creator']
    .trim()
    .toLowerCase()
    .replace(/[\s.]+/g, '-')
    .replace(/[^a-z0-9_-]/g, '');
  return new Map([
    ...item.category
      .filter((term) => takenTerms.includes(term['@domain']) && term['@nicename'] !== '')
      .flatMap((term) => {
        const base = term['@domain'] === 'category' ? 'category' : 'tag';
        const name = plainText(term['#text']).trim();
        return name === 'Uncategorized' ? [] : listsOfTag(name, at(`/${base}/${term['@nicename']}`));
      }),
    ...(author === '' ? [] : listsOfAuthor(at(`/author/${author}`))),
  ]);
}
