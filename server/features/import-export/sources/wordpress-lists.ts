import { listsOfAll, listsOfTag } from './old-lists.ts';
import { plainText } from './plain-text.ts';
import type { Item } from './wordpress-item.ts';

/** Kinds of terms that become tags. */
export const takenTerms: readonly string[] = ['category', 'post_tag'];

/** Lists that a post was in, where nobody chose other words for their addresses. */
export function listsOf(item: Item, parents: ReadonlyMap<string, string>) {
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
        const name = plainText(term['#text']).trim();
        if (name === 'Uncategorized') return [];
        const word = term['@nicename'];
        const isCategory = term['@domain'] === 'category';
        const paths = isCategory
          ? [`/category/${word}`, `/category/${within(word, parents)}`]
          : [`/tag/${word}`];
        return paths.flatMap((path) => listsOfTag(name, at(path)));
      }),
    ...(author === '' ? [] : listsOfAll(at(`/author/${author}`))),
  ]);
}

/** Categories within each other that an address names, at most. */
const deepest = 10;

/** The path of a category below those that it is in. */
function within(category: string, parents: ReadonlyMap<string, string>): string {
  const path = [category];
  for (let next = parents.get(category); next && path.length < deepest; next = parents.get(next))
    path.unshift(next);
  return path.join('/');
}
