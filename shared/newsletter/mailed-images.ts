import { z } from 'zod';
import { mediaSizeUrl, mediaUrl } from '../contract/features/media-address.ts';
import { mailWidth } from '../mail/email-frame.ts';

/** Image of the site, with the fields that an email needs. */
export const MailedImage = z.object({
  id: z.string(),
  name: z.string(),
  alt: z.string(),
  caption: z.string(),
  type: z.string(),
  size: z.number(),
  width: z.number(),
  height: z.number(),
  widths: z.array(z.number()),
});

export type MailedImage = z.infer<typeof MailedImage>;

/** Image types that every mail program shows, and the maximum size that readers should have to load. */
const shown = { types: ['image/jpeg', 'image/png', 'image/gif'], maxBytes: 1_000_000 };

/**
 * Returns the path of an image for email. Renditions have a type that Outlook does not support, so a small original is
 * preferred.
 */
export function mailedUrl(image: MailedImage): string {
  const { type, size, widths } = image;
  if (shown.types.includes(type) && size <= shown.maxBytes) return mediaUrl(image);
  const wide = widths.toSorted((a, b) => a - b).find((width) => width >= 2 * mailWidth) ?? widths.at(-1);
  return wide === undefined ? mediaUrl(image) : mediaSizeUrl(image, wide);
}

export const imagesById = (images: readonly MailedImage[]): ReadonlyMap<string, MailedImage> =>
  new Map(images.map((image) => [image.id, image]));
