import { z } from 'zod';
import { documented, titled } from './documented.ts';
import { image, labelled, ownersOnly, paragraph, text } from './fields.ts';
import { listParameter } from './list-parameter.ts';

/** What records with a page of their own say of themselves to search engines, to feeds and where they are shared. */
export const sharing = {
  cover: ownersOnly(
    labelled(
      'Cover',
      image('Picture that stands for the record; its alternative text is kept with it, in media'),
      'Shown above it, in lists and where it is shared.',
    ),
  ),
  meta_title: ownersOnly(
    labelled(
      'Title for search engines',
      text(200, 'Title for search engines and where it is shared, in place of its own', 'Why types pay'),
      'Its own title when left empty.',
    ),
  ),
  meta_description: ownersOnly(
    labelled(
      'Description for search engines',
      paragraph(
        500,
        'Description for search engines and where it is shared',
        'What a contract saves you, in ten minutes.',
      ),
      'What is read below the title. Its first lines when left empty.',
    ),
  ),
};

/** Records that say all this. */
export type Shared = typeof sharing;

const percent = (description: string) => documented(z.int().min(0).max(100), description, 50);

/** The picture of a record as readers get it. */
export const Cover = titled('Cover', {
  url: documented(
    z.string(),
    "Where it is served, below the site's own address; what is there never changes",
    '/media/mb3k9x2a7f0q1zd/engine.jpg',
  ),
  alt: documented(
    z.string(),
    'What an image shows, for those who do not see it; empty while nobody has said so',
    'A steam engine in a meadow',
  ),
  width: documented(z.int(), 'Pixels as shown', 2400),
  height: documented(z.int(), 'Pixels as shown', 1600),
  widths: documented(
    z.array(z.int()),
    'Widths of the smaller copies that there are by now: `/media/{id}/{width}/engine.webp` of `engine.jpg`',
    [400, 800, 1200, 1600],
  ),
  caption: documented(z.string(), 'What stands below an image on its page; may be empty', 'Photo: Ada King'),
  focus: documented(
    z.strictObject({ x: percent('From the left'), y: percent('From the top') }).nullable(),
    'Point that stays in sight where an image is cut off, in percent; null for its middle',
    null,
  ),
});

export type Cover = z.infer<typeof Cover>;

/** What `include` adds to a record. */
export const included = {
  cover: Cover.nullable()
    .optional()
    .describe('Present when `include` names `cover`; null where there is none'),
  meta_title: documented(
    sharing.meta_title.output.optional(),
    'Present when `include` names `meta`: title for search engines; empty for its own',
    'Why types pay',
  ),
  meta_description: documented(
    sharing.meta_description.output.optional(),
    'Present when `include` names `meta`: description for search engines',
    'What a contract saves you, in ten minutes.',
  ),
};

/** What `include` adds, as a type. */
export type Included = z.infer<z.ZodObject<typeof included>>;

const parts = ['cover', 'meta'] as const;

export type Include = (typeof parts)[number][];

/** `include=cover,meta`: what each record has besides. Text with commas is the form of queries alone, as of `fields`. */
export const includeQuery: { include: z.ZodOptional<z.ZodType<Include, Include>> } = {
  include: z.optional(
    listParameter(
      z.enum(parts),
      parts.join(','),
      'What each record has besides: `cover`, `meta` (`meta_title` and `meta_description`), or both',
    )
      // In one order, so that the same question has one answer to keep.
      .transform((names) => [...new Set(names)].toSorted()) as z.ZodType<Include, Include>,
  ),
};

/** What is added, by what names it. */
export const includedNames = {
  cover: ['cover'],
  meta: ['meta_title', 'meta_description'],
} as const satisfies Record<Include[number], readonly (keyof Included)[]>;
