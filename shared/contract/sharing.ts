import { z } from 'zod';
import { image, labelled, ownersOnly, paragraph, text } from './fields.ts';
import { listParameter } from './list-parameter.ts';
import { titled } from './titled.ts';

/** What records with a page of their own say of themselves to search engines, to feeds and where they are shared. */
export const sharing = {
  cover: ownersOnly(
    labelled(
      'Cover',
      'Shown above it, in lists and where it is shared.',
      image('Picture that stands for the record; its alternative text is kept with it, in media'),
    ),
  ),
  meta_title: ownersOnly(
    labelled(
      'Title for search engines',
      'Its own title when left empty.',
      text(200, 'Title for search engines and where it is shared, in place of its own', 'Why types pay'),
    ),
  ),
  meta_description: ownersOnly(
    labelled(
      'Description for search engines',
      'What is read below the title. Its first lines when left empty.',
      paragraph(
        500,
        'Description for search engines and where it is shared',
        'What a contract saves you, in ten minutes.',
      ),
    ),
  ),
};

/** Records that say all this. */
export type Shared = typeof sharing;

const percent = (description: string) =>
  z
    .int()
    .min(0)
    .max(100)
    .meta({ description, examples: [50] });

/** The picture of a record as readers get it. */
export const Cover = titled('Cover', {
  url: z.string().meta({
    description: "Where it is served, below the site's own address; what is there never changes",
    examples: ['/media/mb3k9x2a7f0q1zd/engine.jpg'],
  }),
  alt: z.string().meta({
    description: 'What an image shows, for those who do not see it; empty while nobody has said so',
    examples: ['A steam engine in a meadow'],
  }),
  width: z.int().meta({ description: 'Pixels as shown', examples: [2400] }),
  height: z.int().meta({ description: 'Pixels as shown', examples: [1600] }),
  widths: z.array(z.int()).meta({
    description:
      'Widths of the smaller copies that there are by now, as WebP: `/media/{id}/{width}/{name}.webp`',
    examples: [[400, 800, 1200, 1600]],
  }),
  caption: z.string().meta({
    description: 'What stands below an image on its page; may be empty',
    examples: ['Photo: Ada King'],
  }),
  focus: z
    .strictObject({ x: percent('From the left'), y: percent('From the top') })
    .nullable()
    .meta({
      description: 'Point that stays in sight where an image is cut off, in percent; null for its middle',
      examples: [null],
    }),
});

export type Cover = z.infer<typeof Cover>;

/** What `include` adds to a record. */
export const included = {
  cover: Cover.nullable()
    .optional()
    .describe('Present when `include` names `cover`; null where there is none'),
  meta_title: sharing.meta_title.output.optional().meta({
    description: 'Present when `include` names `meta`: title for search engines; empty for its own',
    examples: ['Why types pay'],
  }),
  meta_description: sharing.meta_description.output.optional().meta({
    description: 'Present when `include` names `meta`: description for search engines',
    examples: ['What a contract saves you, in ten minutes.'],
  }),
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
