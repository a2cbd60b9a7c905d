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
 * How wide a cover is on the page of its record, and in a list: there each look has its own width, which browsers find out
 * by themselves, or else take the widest, which costs some bytes and never sharpness.
 */
const coverSizes = {
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

function picture(cover: Cover, place: keyof typeof coverSizes, alt: string): View {
  const { url, width, height, focus } = cover;
  const srcset = srcsetOf(cover);
  const isBelow = place !== 'page';
  return html`<img ${focusClass(focus)}src="${url}" ${when(srcset !== '', () => html`srcset="${srcset}" sizes="${coverSizes[place]}" `)}alt="${alt}" width="${width}" height="${height}" decoding="async"${isBelow ? html` loading="lazy"` : html` fetchpriority="high"`}>`;
}

/** Width of the copy that is shown where a page is shared: the original where that is no wider. */
const sharedWidth = 1_200;

export function sharedImage({ url, alt, width, height, widths }: Cover, origin: string) {
  if (!widths.includes(sharedWidth)) return { url: `${origin}${url}`, alt, width, height };
  const scaled = Math.round((height * sharedWidth) / width);
  return { url: `${origin}${sizeUrlOf(url, sharedWidth)}`, alt, width: sharedWidth, height: scaled };
}

/** Names the point that stays in sight; its rules are in the stylesheet, since the policy takes no style of an element. */
const focusClass = (focus: Focus | null | undefined) =>
  focus ? html`class="x${nearest(focus.x)} y${nearest(focus.y)}" ` : nothing;

const nearest = (percent: number) => Math.round(percent / 5) * 5;

type ShownImage = Pick<Media, 'id' | 'name' | 'width' | 'height' | 'widths'>;

/** How wide a body is at most. Its columns are narrower on some sites, which costs some bytes, and never sharpness. */
const bodySizes = '(max-width: 48rem) 100vw, 48rem';

const tag = /<img [^>]*>/g;

export function imageIdsIn(html: string, origin: string): string[] {
  const ids = new Set<string>();
  for (const [image] of html.matchAll(tag)) {
    const id = idOf(image, origin);
    if (id !== null && ids.size < media.mostSized) ids.add(id);
  }
  return [...ids];
}

/** The body with the sizes of those images: browsers choose one that fits, and keep its room free until it has come. */
export function withSizes(html: string, origin: string, known: ReadonlyMap<string, ShownImage>): string {
  return html.replace(tag, (image) => {
    const found = known.get(idOf(image, origin) ?? '');
    return found ? image.replace(/^<img /, `<img ${attributesOf(found, image)}`) : image;
  });
}

const idOf = (image: string, origin: string) => mediaIdOf(/ src="([^"]*)"/.exec(image)?.[1] ?? '', origin);

/** The id of the site's own file at an address; null for what is elsewhere. */
function mediaIdOf(address: string, origin: string): string | null {
  const path = address.startsWith(`${origin}/`) ? address.slice(origin.length) : address;
  return /^\/media\/([a-z0-9]{15})\//.exec(path)?.[1] ?? null;
}

/** What the author has said of the image stays. */
function attributesOf(found: ShownImage, image: string): string {
  const { width, height, widths } = found;
  const own = (name: string) => image.includes(` ${name}="`);
  const room = own('width') || own('height') ? '' : `width="${width}" height="${height}" `;
  const srcset = srcsetOf({ url: mediaUrl(found), width, widths });
  if (srcset === '' || own('srcset')) return room;
  return `${room}srcset="${srcset}" sizes="${bodySizes}" `;
}

/** How wide it is shown at most: at the top of the home page, and beside the name at the end of a post. */
const portraitSizes = { hero: '(max-width: 48rem) 8rem, 22rem', byline: '3.5rem' } as const;

/**
 * The creator's picture, in the sizes that there are where it is one of the site's own; nothing where none is set. The page
 * has to declare `media` among what it uses.
 */
export async function portrait(
  { origin, read }: Visit,
  { creator, profile }: LayoutData,
  place: keyof typeof portraitSizes,
): Promise<View> {
  const { avatar_url } = profile;
  if (!avatar_url) return nothing;
  // One of the site's own is found wherever the site was at home when it was chosen.
  const id = mediaIdOf(avatar_url, URL.parse(avatar_url)?.origin ?? origin);
  const [own] = id === null ? [] : (await read('visitors.images', { ids: [id] })).data;
  const { width, height } = own ?? { width: 600, height: 600 };
  const copies = own?.widths.map((copy) => `${mediaSizeUrl(own, copy)} ${copy}w`) ?? [];
  // Beside the name, which says as much, nobody hears it.
  const alt = place === 'hero' ? creator : '';
  return html`<div class="face ${place}"><span aria-hidden="true">${firstCharacter(creator)}</span><img ${focusClass(own?.focus)}src="${own ? mediaUrl(own) : avatar_url}" ${when(
    copies.length > 0,
    () => html`srcset="${copies.join(', ')}" sizes="${portraitSizes[place]}" `,
  )}alt="${alt}" width="${width}" height="${height}" decoding="async"></div>`;
}
