import { z } from 'zod';
import { documented, titled } from '../documented.ts';
import { comparedText } from '../fields.ts';
import { paging } from '../limits.ts';
import { listParameter } from '../list-parameter.ts';
import { wholeNumber } from '../pagination.ts';
import { RecordId } from '../record-id.ts';

/** Collections that one search looks through, in the order in which what is alike stands. */
export const searchedCollections = ['posts', 'projects', 'courses', 'talks', 'pages'] as const;

export type SearchedCollection = (typeof searchedCollections)[number];

export const SearchQuery = z.object({
  q: documented(
    comparedText(200).min(1),
    'Words; those "in quotes" in their order, and none behind a minus sign',
    'type-safe apis',
  ),
  types: listParameter(z.enum(searchedCollections), 'posts,talks', 'Only these kinds').optional(),
  limit: wholeNumber(paging.cursor, 'Most to find'),
});

const Found = titled('Found', {
  type: z.enum(searchedCollections).describe('Its collection'),
  id: RecordId,
  title: documented(z.string(), 'What it is called', 'Type-safe APIs'),
  slug: documented(z.string().nullable(), 'Null for kinds without slugs', 'type-safe-apis'),
  url: documented(z.string(), 'Path of the public site that shows it', '/posts/type-safe-apis'),
  snippet: documented(
    z.string(),
    'HTML: a part of its open text, escaped, with `<mark>` around what was looked for',
    'How <mark>types</mark> travel',
  ),
});

export type Found = z.infer<typeof Found>;

export const SearchResults = titled('SearchResults', {
  data: z.array(Found).describe('The best first'),
  nearest: documented(z.boolean(), 'Whether nothing was found, and these are only titles alike', false),
});

export type SearchResults = z.infer<typeof SearchResults>;
