import { z } from 'zod';
import { documented, titled } from '../documented.ts';
import { created } from '../envelopes.ts';
import { boundedText } from '../fields.ts';
import { createdBy } from '../history.ts';
import { media } from '../limits.ts';
import { numberedPage, pageQuery } from '../pagination.ts';
import { RecordId } from '../record-id.ts';
import { Cover } from '../sharing.ts';

/** What may be uploaded: every type by its media type, with the ending that names of such files get. */
export const mediaTypes = {
  'image/jpeg': 'jpg',
  'image/png': 'png',
  'image/webp': 'webp',
  'image/avif': 'avif',
  'image/gif': 'gif',
  'application/pdf': 'pdf',
  'audio/mpeg': 'mp3',
  'audio/mp4': 'm4a',
  'audio/ogg': 'ogg',
  'audio/wav': 'wav',
  'audio/flac': 'flac',
  'audio/aac': 'aac',
  'video/mp4': 'mp4',
  'video/webm': 'webm',
  'video/quicktime': 'mov',
  'video/ogg': 'ogv',
} as const satisfies Record<string, string>;

export type MediaType = keyof typeof mediaTypes;

/** A point of an image, in percent of its width and height. */
export type Focus = { x: number; y: number };

const { url, alt, caption, focus, widths } = Cover.shape;
const pixels = z.int().nullable().describe('Pixels as shown; null for what is no image');

/** A file of a site. */
export const Media = titled('Media', {
  id: RecordId,
  url,
  name: documented(z.string(), 'Name of the file', 'Engine.jpg'),
  alt,
  caption,
  focus,
  type: documented(z.string(), 'What its bytes are, whatever was said of them', 'image/jpeg'),
  size: documented(z.int(), 'Bytes as they are kept', 182_044),
  width: pixels.meta({ examples: [2400] }),
  height: pixels.meta({ examples: [1600] }),
  widths,
  created,
});

export type Media = z.infer<typeof Media>;

const rounded = (description: string) =>
  documented(z.number().min(0).max(100).overwrite(Math.round), description, 50);

/** What is said of a file. */
export const UpdateMedia = titled('UpdateMedia', {
  id: RecordId,
  alt: documented(
    boundedText(media.longestAlt).nullable().optional(),
    'What the image shows, for those who do not see it; null or empty for nothing',
    'A steam engine in a meadow',
  ),
  caption: documented(
    boundedText(media.longestAlt).nullable().optional(),
    'What stands below the image; null or empty for nothing',
    'Photo: Ada King',
  ),
  focus: documented(
    z
      .strictObject({ x: rounded('From the left'), y: rounded('From the top') })
      .nullable()
      .optional(),
    'Point that stays in sight, in percent; null for its middle',
    { x: 50, y: 30 },
  ),
});

export const ListMedia = z.strictObject(pageQuery);

export const MediaPage = numberedPage(Media);

/** The same for those who work on the site. */
export const OwnMedia = z.strictObject({ ...Media.shape, created_by: createdBy });

export type OwnMedia = z.infer<typeof OwnMedia>;

export const OwnMediaPage = numberedPage(OwnMedia);

/** Where a file is used. */
export const MediaUse = titled('MediaUse', {
  collection: documented(z.string(), 'Collection of the record', 'posts'),
  id: documented(z.string(), 'Id of the record', 'mb3k9x2a7f0q1zd'),
  title: documented(z.string(), 'Title of the record', 'Type-safe APIs'),
});

/** Names the site whose files are wanted, at an address that no site claims. It opens nothing: who knows a file's address may see it. */
export const mediaSiteCookie = 'media_site';
