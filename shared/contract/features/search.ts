import { z } from 'zod';
import { boundedText } from '../fields.ts';
import { paging } from '../limits.ts';
import { listParameter } from '../list-parameter.ts';
import { wholeNumber } from '../pagination.ts';
import { RecordId } from '../record-id.ts';
import { titled } from '../titled.ts';

/** Collections that one search looks through, in the order in which what is alike stands. */
export const searchedCollections = ['posts', 'projects', 'courses', 'talks', 'pages'] as const;

export type SearchedCollection = (typeof searchedCollections)[number];

export const SearchQuery = z.object({
  q: boundedText(200)
    .min(1)
    .meta({
      description: 'Words; those "in quotes" in their order, and none behind a minus sign',
      examples: ['type-safe apis'],
    }),
  types: listParameter(z.enum(searchedCollections), 'posts,talks', 'Only these kinds').optional(),
  limit: wholeNumber(paging.cursor, 'Most to find'),
});

const Found = titled('Found', {
  type: z.enum(searchedCollections).describe('Its collection'),
  id: RecordId,
  title: z.string().meta({ description: 'What it is called', examples: ['Type-safe APIs'] }),
  slug: z
    .string()
    .nullable()
    .meta({ description: 'Null for kinds without slugs', examples: ['type-safe-apis'] }),
  url: z
    .string()
    .meta({ description: 'Path of the public site that shows it', examples: ['/posts/type-safe-apis'] }),
  snippet: z.string().meta({
    description: 'HTML: a part of its open text, escaped, with `<mark>` around what was looked for',
    examples: ['How <mark>types</mark> travel'],
  }),
});

export type Found = z.infer<typeof Found>;

export const SearchResults = titled('SearchResults', {
  data: z.array(Found).describe('The best first'),
  nearest: z
    .boolean()
    .meta({ description: 'Whether nothing was found, and these are only titles alike', examples: [false] }),
});

export type SearchResults = z.infer<typeof SearchResults>;
