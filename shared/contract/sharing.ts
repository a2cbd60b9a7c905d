import { z } from 'zod';
import { documented, titled } from './documented.ts';
import { image, labelled, ownersOnly, paragraph, text } from './fields.ts';
import { listParameter } from './list-parameter.ts';

/** Fields of records that have their own page, for search results, feeds and link previews. */
export const sharing = {
  cover: ownersOnly(
    labelled(
      'Cover',
      image('Cover image: ID of an uploaded file, whose alternative text is used; empty for none'),
      'Shown above the text, in lists and in shared links.',
    ),
  ),
  meta_title: ownersOnly(
    labelled(
      'Meta title',
      text(
        200,
        'Title for search results and link previews; empty to use the title of the record',
        'Why types pay',
      ),
      'If empty, the title is used.',
    ),
  ),
  meta_description: ownersOnly(
    labelled(
      'Meta description',
      paragraph(
        500,
        'Description for search results and link previews; empty to use the beginning of the text',
        'What a contract saves you, in ten minutes.',
      ),
      'What is read below the title. Its first lines when left empty.',
    ),
  ),
};

/** Type of the fields in `sharing`. */
export type Shared = typeof sharing;

const percent = (description: string) => documented(z.int().min(0).max(100), description, 50);

/** Cover image of a record in reads. */
export const Cover = titled('Cover', {
  url: documented(
    z.string(),
    'Path of the image on the site; its content never changes',
    '/media/mb3k9x2a7f0q1zd/engine.jpg',
  ),
  alt: documented(
    z.string(),
    'Alternative text of the image; empty if none was given',
    'A steam engine in a meadow',
  ),
  width: documented(z.int(), 'Width in pixels', 2400),
  height: documented(z.int(), 'Height in pixels', 1600),
  widths: documented(
    z.array(z.int()),
    'Widths of the available smaller renditions, in pixels; `/media/{id}/{width}/engine.webp` is a rendition of `engine.jpg`',
    [400, 800, 1200, 1600],
  ),
  caption: documented(z.string(), 'Caption below the image; may be empty', 'Photo: Ada King'),
  focus: documented(
    z
      .strictObject({
        x: percent('Distance from the left edge, in percent'),
        y: percent('Distance from the top edge, in percent'),
      })
      .nullable(),
    'Focal point that remains visible when the image is cropped; null for its center',
    null,
  ),
});

export type Cover = z.infer<typeof Cover>;

/** Fields that `include` adds to a record. */
export const included = {
  cover: Cover.nullable()
    .optional()
    .describe('Cover image; null if the record has none. Present only if `include` contains `cover`'),
  meta_title: documented(
    sharing.meta_title.output.optional(),
    'Title for search results and link previews; empty to use the title of the record. Present only if `include` contains `meta`',
    'Why types pay',
  ),
  meta_description: documented(
    sharing.meta_description.output.optional(),
    'Description for search results and link previews; may be empty. Present only if `include` contains `meta`',
    'What a contract saves you, in ten minutes.',
  ),
};

/** Type of the fields that `include` adds. */
export type Included = z.infer<z.ZodObject<typeof included>>;

const parts = ['cover', 'meta'] as const;

export type Include = (typeof parts)[number][];

/**
 * Query parameter `include=cover,meta` for additional fields of each record. Only query strings separate values by
 * commas, as for `fields`.
 */
export const includeQuery: { include: z.ZodOptional<z.ZodType<Include, Include>> } = {
  include: z.optional(
    listParameter(
      z.enum(parts),
      parts.join(','),
      'Additional fields of each record: `cover`, `meta` (`meta_title` and `meta_description`), or both',
    )
      // Sorted, so that equal queries have the same cached answer.
      .transform((names) => [...new Set(names)].toSorted()) as z.ZodType<Include, Include>,
  ),
};

/** Names of the added fields, by the value of `include`. */
export const includedNames = {
  cover: ['cover'],
  meta: ['meta_title', 'meta_description'],
} as const satisfies Record<Include[number], readonly (keyof Included)[]>;
