import { z } from 'zod';
import { documented, titled } from '../documented.ts';
import { created } from '../envelopes.ts';
import { boundedText } from '../fields.ts';
import { createdBy } from '../history.ts';
import { media } from '../limits.ts';
import { numberedPage, pageQuery } from '../pagination.ts';
import { RecordId } from '../record-id.ts';
import { Cover } from '../sharing.ts';

/** Types of files that can be uploaded, each with the extension of its files. */
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

/** Point of an image, in percent of its width and height. */
export type Focus = { x: number; y: number };

const { url, alt, caption, focus, widths } = Cover.shape;
const pixels = z.int().nullable().describe('Size in pixels; null if the file is not an image');

export const Media = titled('Media', {
  id: RecordId,
  url,
  name: documented(z.string(), 'Name of the file', 'Engine.jpg'),
  alt,
  caption,
  focus,
  type: documented(z.string(), 'Media type, detected from the content', 'image/jpeg'),
  size: documented(z.int(), 'Size of the stored file in bytes', 182_044),
  width: pixels.meta({ examples: [2400] }),
  height: pixels.meta({ examples: [1600] }),
  widths,
  protected: documented(
    z.boolean(),
    'True if only signed addresses in lessons open the file, for 12 hours each',
    false,
  ),
  created,
});

export type Media = z.infer<typeof Media>;

const rounded = (description: string) =>
  documented(z.number().min(0).max(100).overwrite(Math.round), description, 50);

export const UpdateMedia = titled('UpdateMedia', {
  id: RecordId,
  alt: documented(
    boundedText(media.maxAltLength).nullable().optional(),
    'Alternative text of the image; null or empty for none',
    'A steam engine in a meadow',
  ),
  caption: documented(
    boundedText(media.maxAltLength).nullable().optional(),
    'Caption below the image; null or empty for none',
    'Photo: Ada King',
  ),
  focus: documented(
    z
      .strictObject({
        x: rounded('Distance from the left edge, in percent'),
        y: rounded('Distance from the top edge, in percent'),
      })
      .nullable()
      .optional(),
    'Focal point that remains visible when the image is cropped; null for its center',
    { x: 50, y: 30 },
  ),
});

/** Changes to a media file by people who work on the site. */
export const UpdateOwnMedia = z.strictObject({
  ...UpdateMedia.shape,
  protected: Media.shape.protected.optional(),
});

/** Hours for which a signed address opens a protected file. */
export const signedHours = 12;

/** Query that opens a protected file and its renditions: `until` and `sig`. */
export const SignedFile = z.strictObject({ id: RecordId, query: z.string() });

export type SignedFile = z.infer<typeof SignedFile>;

export const ListMedia = z.strictObject(pageQuery);

export const MediaPage = numberedPage(Media);

/** Media file as people who work on the site see it. */
export const OwnMedia = z.strictObject({
  ...Media.shape,
  created_by: createdBy,
  access: z.string().describe('Query that opens a protected file in the studio; empty for other files'),
});

export type OwnMedia = z.infer<typeof OwnMedia>;

export const OwnMediaPage = numberedPage(OwnMedia);

export const MediaUse = titled('MediaUse', {
  collection: documented(z.string(), 'Collection of the record', 'posts'),
  id: documented(z.string(), 'ID of the record', 'mb3k9x2a7f0q1zd'),
  title: documented(z.string(), 'Title of the record', 'Type-safe APIs'),
});

/**
 * Name of a cookie with the site whose files are requested, for a host that belongs to no site. It grants no access:
 * anyone who knows the path of a file can read it.
 */
export const mediaSiteCookie = 'media_site';
