import { z } from 'zod';
import { documented, titled } from '../documented.ts';
import { comparedText } from '../fields.ts';
import { paging } from '../limits.ts';
import { listParameter } from '../list-parameter.ts';
import { wholeNumber } from '../pagination.ts';
import { RecordId } from '../record-id.ts';

/** Collections that one search covers. Equally good matches are returned in this order. */
export const searchedCollections = ['posts', 'projects', 'courses', 'talks', 'pages'] as const;

export type SearchedCollection = (typeof searchedCollections)[number];

export const SearchQuery = z.object({
  q: documented(
    comparedText(200).min(1),
    'Search query. "Quoted words" must appear in this order; a minus sign excludes a word',
    'type-safe apis',
  ),
  types: listParameter(
    z.enum(searchedCollections),
    'posts,talks',
    'Collections to search; all if omitted',
  ).optional(),
  limit: wholeNumber(paging.cursor, 'Maximum number of results'),
});

const Found = titled('Found', {
  type: z.enum(searchedCollections).describe('Collection of the record'),
  id: RecordId,
  title: documented(z.string(), 'Title of the record', 'Type-safe APIs'),
  slug: documented(z.string().nullable(), 'Slug; null for talks, which have none', 'type-safe-apis'),
  url: documented(z.string(), 'Path of the page that shows the record', '/posts/type-safe-apis'),
  snippet: documented(
    z.string(),
    'Escaped HTML: an excerpt of the public text with `<mark>` around the matches',
    'How <mark>types</mark> travel',
  ),
});

export type Found = z.infer<typeof Found>;

export const SearchResults = titled('SearchResults', {
  data: z.array(Found).describe('Results, best match first'),
  nearest: documented(z.boolean(), 'True if nothing matched and the results only have similar titles', false),
});

export type SearchResults = z.infer<typeof SearchResults>;
