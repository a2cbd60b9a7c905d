import { withoutEnding } from './foreign-record.ts';
import { type FrontMatter, matterOf } from './front-matter.ts';
import { categoryNames, tagNames, tagsIn } from './matter-fields.ts';
import { folderOfSite, type Generator } from './old-addresses.ts';
import { listsOfAll, listsOfTag } from './old-lists.ts';
import { textsOf } from './setting.ts';

/** The setting by which a plugin of Jekyll is told where its lists are. */
export const archiveLinks = 'jekyll-archives permalinks';

interface Listed {
  generator: Generator;
  /** Its name below the folder that all is in. */
  file: string;
  /** Whether blanks are between the tags of a text. */
  areApart: boolean;
}

/** Lists that a text was in: of its tags, of its categories, and of Hugo's section. */
export function listsOf(matter: FrontMatter, { generator, file, areApart }: Listed): Map<string, string> {
  if (generator === 'obsidian' || generator === 'unknown') return new Map();
  const isHugo = generator === 'hugo';
  const below = folderOfSite(matter);
  const given = matterOf(matter.get(archiveLinks));
  const lists = (['tag', 'category'] as const).flatMap((kind) => {
    const names = kind === 'tag' ? tagNames : categoryNames;
    const [pattern = `/${names[0]}/:name`] = textsOf(given.get(kind));
    // One that names nothing, or more than a list of tags has, is of something else.
    if (!/^[^:]*:name[^:]*$/.test(pattern)) return [];
    return tagsIn(matter, { names, areApart, notes: [] }).flatMap((name) => {
      const word = isHugo ? pathOfHugo(name) : slugified(name);
      const path = `${below}${withoutEnding(pattern, '/').replace(':name', () => word)}`;
      return word === '' ? [] : listsOfTag(name, { path, feed: isHugo ? 'index.xml' : null });
    });
  });
  const [, section] = (isHugo && /^content\/([^/]+)\/(?!index\.[^/]*$)./.exec(file)) || [];
  return new Map([
    ...lists,
    ...(section ? listsOfAll({ path: `${below}/${pathOfHugo(section)}`, feed: 'index.xml' }) : []),
  ]);
}

/** A name as Hugo writes it in addresses: signs of its own for blanks, but none that stands beside a hyphen already. */
const pathOfHugo = (name: string) =>
  name
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\p{M}./_#+~@\s-]/gu, '')
    .trim()
    .replace(/\s*(-+)\s*|\s+/g, (_, hyphens = '-') => hyphens);

/** As Jekyll, Eleventy and Astro's templates do. */
const slugified = (name: string) =>
  name
    .toLowerCase()
    .replace(/[^\p{M}\p{L}\p{Nd}]+/gu, '-')
    .replace(/^-|-$/g, '');
