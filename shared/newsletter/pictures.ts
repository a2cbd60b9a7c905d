import { z } from 'zod';
import { mediaSizeUrl, mediaUrl } from '../contract/features/media-address.ts';
import { mailWidth } from '../mail/shell.ts';

/** A picture of the site's own, as far as a mail needs to know it. */
export const MailedPicture = z.object({
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

export type MailedPicture = z.infer<typeof MailedPicture>;

/** What every program shows, and the most bytes of it that readers are to wait for. */
const shown = { types: ['image/jpeg', 'image/png', 'image/gif'], mostBytes: 1_000_000 };

/** Where a picture is, below the site: the copies of it are of a type that Outlook lacks, so a small original is better. */
export function mailedUrl(picture: MailedPicture): string {
  const { type, size, widths } = picture;
  if (shown.types.includes(type) && size <= shown.mostBytes) return mediaUrl(picture);
  const wide = widths.toSorted((a, b) => a - b).find((width) => width >= 2 * mailWidth) ?? widths.at(-1);
  return wide === undefined ? mediaUrl(picture) : mediaSizeUrl(picture, wide);
}

export const picturesById = (pictures: readonly MailedPicture[]): ReadonlyMap<string, MailedPicture> =>
  new Map(pictures.map((picture) => [picture.id, picture]));
