import { html } from 'hono/html';
import { firstCharacter } from '../../../../shared/contract/cut-text.ts';
import { sizeUrlOf, srcsetOf } from '../../../../shared/contract/features/media-address.ts';
import type { Cover, Included } from '../../../../shared/contract/sharing.ts';
import { focusClass } from './images.ts';
import { nothing, type View, when } from './parts.ts';

/**
 * How wide a cover is on the page of its record, and in a list: there each look has its own width, which browsers find out
 * by themselves, or else take the widest, which costs some bytes and never sharpness.
 */
const sizes = {
  page: '(max-width: 52rem) 100vw, 52rem',
  list: 'auto, (max-width: 40rem) 100vw, 40rem',
} as const;

/** The picture at the top of a page. It is in sight at once, so it is fetched at once. */
export const pageCover = ({ cover }: Included): View =>
  cover
    ? html`<figure class="cover">${picture(cover, 'page', cover.alt)}${when(cover.caption, () => html`<figcaption>${cover.caption}</figcaption>`)}</figure>`
    : nothing;

/** Above a record of a list. Its title stands beside it and says as much, so nobody hears it twice. */
export const cardCover = ({ cover }: Included): View =>
  cover ? html`<div class="card-cover">${picture(cover, 'list', '')}</div>` : nothing;

/** The same for each record of a list: where only some have pictures, the others have their initial in its place. */
export function cardCovers(records: readonly Included[]): (record: Included & { title: string }) => View {
  if (!records.some(({ cover }) => cover)) return () => nothing;
  return (record) =>
    record.cover
      ? cardCover(record)
      : html`<div class="card-cover blank" aria-hidden="true">${firstCharacter(record.title)}</div>`;
}

/** The same, small, at the side. */
export const thumbCover = ({ cover }: Included): View =>
  cover ? html`<div class="thumb">${picture(cover, 'list', '')}</div>` : nothing;

function picture(cover: Cover, place: keyof typeof sizes, alt: string): View {
  const { url, width, height, focus } = cover;
  const srcset = srcsetOf(cover);
  const isBelow = place !== 'page';
  return html`<img ${focusClass(focus)}src="${url}" ${when(srcset !== '', () => html`srcset="${srcset}" sizes="${sizes[place]}" `)}alt="${alt}" width="${width}" height="${height}" decoding="async"${isBelow ? html` loading="lazy"` : html` fetchpriority="high"`}>`;
}

/** Width of the copy that is shown where a page is shared: the original where that is no wider. */
const sharedWidth = 1_200;

/** The picture of a page where it is shared, by its whole address. */
export function sharedImage({ url, alt, width, height, widths }: Cover, origin: string) {
  if (!widths.includes(sharedWidth)) return { url: `${origin}${url}`, alt, width, height };
  const scaled = Math.round((height * sharedWidth) / width);
  return { url: `${origin}${sizeUrlOf(url, sharedWidth)}`, alt, width: sharedWidth, height: scaled };
}
