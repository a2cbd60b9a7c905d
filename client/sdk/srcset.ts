import { srcsetOf as sizesOf } from '../../shared/contract/features/media-address.ts';

/** A cover or a file, as the service tells of it. */
export interface SizedImage {
  url: string;
  width: number | null;
  widths: readonly number[];
}

/**
 * The `srcset` of an image: the smaller copies that there are, and the image itself; empty where there are no copies, as of
 * animations. Addresses begin with `baseUrl`, or are below the site's own when it is left out.
 *
 *     <img src={baseUrl + cover.url} srcset={srcsetOf(cover, baseUrl)} sizes="100vw" alt={cover.alt} />
 */
export const srcsetOf = (image: SizedImage, baseUrl: string | URL = ''): string =>
  sizesOf(image, String(baseUrl).replace(/\/+$/, ''));
