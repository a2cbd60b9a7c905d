import { srcsetOf as sizesOf } from '../../shared/contract/features/media-address.ts';

/** A cover or media file in an answer of the service. */
export interface SizedImage {
  url: string;
  width: number | null;
  widths: readonly number[];
}

/**
 * Returns the `srcset` of an image: its renditions and the image itself. Empty if there are no renditions, as for
 * animations. URLs begin with `baseUrl`; without it they are relative to the page's origin.
 *
 *     <img src={baseUrl + cover.url} srcset={srcsetOf(cover, baseUrl)} sizes="100vw" alt={cover.alt} />
 */
export const srcsetOf = (image: SizedImage, baseUrl: string | URL = ''): string =>
  sizesOf(image, String(baseUrl).replace(/\/+$/, ''));
