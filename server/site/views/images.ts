import { html } from 'hono/html';
import { firstCharacter } from '../../../shared/contract/cut-text.ts';
import type { Focus, Media } from '../../../shared/contract/features/media.ts';
import {
  mediaSizeUrl,
  mediaUrl,
  sizeUrlOf,
  srcsetOf,
} from '../../../shared/contract/features/media-address.ts';
import { media } from '../../../shared/contract/limits.ts';
import type { Cover, Included } from '../../../shared/contract/sharing.ts';
import type { Visit } from '../page.ts';
import type { LayoutData } from './layout-data.ts';
import { nothing, type View, when } from './parts.ts';

/**
 * Display widths of covers, for the `sizes` attribute. In lists, each look has its own width. Browsers that do not support
 * `auto` use the widest, which costs some bytes but never sharpness.
 */
const coverSizes = {
  page: '(max-width: 52rem) 100vw, 52rem',
  list: 'auto, (max-width: 40rem) 100vw, 40rem',
} as const;

/** Renders the cover at the top of a page; empty if there is none. It is visible immediately, so it has a high priority. */
export const pageCover = ({ cover }: Included): View =>
  cover
    ? html`<figure class="cover">${image(cover, 'page', cover.alt)}${when(cover.caption, () => html`<figcaption>${cover.caption}</figcaption>`)}</figure>`
    : nothing;

/**
 * Renders the cover above a record in a list; empty if there is none. Its alternative text is empty, because the title is
 * next to it.
 */
export const cardCover = ({ cover }: Included): View =>
  cover ? html`<div class="card-cover">${image(cover, 'list', '')}</div>` : nothing;

/**
 * Returns a function that renders the cover of a record in a list. If only some records have a cover, it shows the initial
 * of the title for others. Empty if none has one.
 */
export function cardCovers(records: readonly Included[]): (record: Included & { title: string }) => View {
  if (!records.some(({ cover }) => cover)) return () => nothing;
  return (record) =>
    record.cover
      ? cardCover(record)
      : html`<div class="card-cover blank" aria-hidden="true">${firstCharacter(record.title)}</div>`;
}

/** Renders a small cover beside a record in a list; empty if there is none. */
export const thumbCover = ({ cover }: Included): View =>
  cover ? html`<div class="thumb">${image(cover, 'list', '')}</div>` : nothing;

function image(cover: Cover, position: keyof typeof coverSizes, alt: string): View {
  const { url, width, height, focus } = cover;
  const srcset = srcsetOf(cover);
  const isBelow = position !== 'page';
  return html`<img ${focusClass(focus)}src="${url}" ${when(srcset !== '', () => html`srcset="${srcset}" sizes="${coverSizes[position]}" `)}alt="${alt}" width="${width}" height="${height}" decoding="async"${isBelow ? html` loading="lazy"` : html` fetchpriority="high"`}>`;
}

/** Width of the rendition for social networks. A narrower original is used as it is. */
const sharedWidth = 1_200;

export function sharedImage({ url, alt, width, height, widths }: Cover, origin: string) {
  if (!widths.includes(sharedWidth)) return { url: `${origin}${url}`, alt, width, height };
  const scaled = Math.round((height * sharedWidth) / width);
  return { url: `${origin}${sizeUrlOf(url, sharedWidth)}`, alt, width: sharedWidth, height: scaled };
}

/**
 * Class for the focus point of an image. The rules are in the stylesheet, since the content security policy forbids style
 * attributes.
 */
const focusClass = (focus: Focus | null | undefined) =>
  focus ? html`class="x${nearest(focus.x)} y${nearest(focus.y)}" ` : nothing;

const nearest = (percent: number) => Math.round(percent / 5) * 5;

type ShownImage = Pick<Media, 'id' | 'name' | 'width' | 'height' | 'widths'>;

/**
 * Maximum width of a body, for the `sizes` attribute. Some sites have narrower columns, which costs some bytes but never
 * sharpness.
 */
const bodySizes = '(max-width: 48rem) 100vw, 48rem';

const tag = /<img [^>]*>/g;

export function imageIdsIn(html: string, origin: string): string[] {
  const ids = new Set<string>();
  for (const [image] of html.matchAll(tag)) {
    const id = idOf(image, origin);
    if (id !== null && ids.size < media.maxResizedImages) ids.add(id);
  }
  return [...ids];
}

/** Adds renditions and dimensions to the images of a body. Browsers choose a rendition and reserve its space while it loads. */
export function withSizes(html: string, origin: string, known: ReadonlyMap<string, ShownImage>): string {
  return html.replace(tag, (image) => {
    const found = known.get(idOf(image, origin) ?? '');
    return found ? image.replace(/^<img /, `<img ${attributesOf(found, image)}`) : image;
  });
}

const idOf = (image: string, origin: string) => mediaIdOf(/ src="([^"]*)"/.exec(image)?.[1] ?? '', origin);

/** ID of the site's own media file at a URL; null for other URLs. */
function mediaIdOf(address: string, origin: string): string | null {
  const path = address.startsWith(`${origin}/`) ? address.slice(origin.length) : address;
  return /^\/media\/([a-z0-9]{15})\//.exec(path)?.[1] ?? null;
}

/** Attributes for an image, except those that the author set. */
function attributesOf(found: ShownImage, image: string): string {
  const { width, height, widths } = found;
  const own = (name: string) => image.includes(` ${name}="`);
  const room = own('width') || own('height') ? '' : `width="${width}" height="${height}" `;
  const srcset = srcsetOf({ url: mediaUrl(found), width, widths });
  if (srcset === '' || own('srcset')) return room;
  return `${room}srcset="${srcset}" sizes="${bodySizes}" `;
}

/** Maximum display widths of the portrait, on the home page and at the end of a post, for the `sizes` attribute. */
const portraitSizes = { hero: '(max-width: 48rem) 8rem, 22rem', byline: '3.5rem' } as const;

/**
 * Portrait of the creator, with renditions if it is the site's own file; empty if there is none. The page must declare `media`
 * in `uses`.
 */
export async function portrait(
  { origin, read }: Visit,
  { creator, profile }: LayoutData,
  position: keyof typeof portraitSizes,
): Promise<View> {
  const { avatar_url } = profile;
  if (!avatar_url) return nothing;
  // The URL of an own file may contain an earlier domain of the site.
  const id = mediaIdOf(avatar_url, URL.parse(avatar_url)?.origin ?? origin);
  const [own] = id === null ? [] : (await read('visitors.images', { ids: [id] })).data;
  const { width, height } = own ?? { width: 600, height: 600 };
  const renditions = own?.widths.map((rendition) => `${mediaSizeUrl(own, rendition)} ${rendition}w`) ?? [];
  // Next to the name, the alternative text is empty.
  const alt = position === 'hero' ? creator : '';
  return html`<div class="face ${position}"><span aria-hidden="true">${firstCharacter(creator)}</span><img ${focusClass(own?.focus)}src="${own ? mediaUrl(own) : avatar_url}" ${when(
    renditions.length > 0,
    () => html`srcset="${renditions.join(', ')}" sizes="${portraitSizes[position]}" `,
  )}alt="${alt}" width="${width}" height="${height}" decoding="async"></div>`;
}
