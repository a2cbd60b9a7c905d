import { html } from 'hono/html';
import type { Focus, Media } from '../../../../shared/contract/features/media.ts';
import { mediaUrl, srcsetOf } from '../../../../shared/contract/features/media-address.ts';
import { media } from '../../../../shared/contract/limits.ts';
import { nothing } from './parts.ts';

/** Names the point that stays in sight; its rules are in the stylesheet, since the policy takes no style of an element. */
export const focusClass = (focus: Focus | null | undefined) =>
  focus ? html`class="x${nearest(focus.x)} y${nearest(focus.y)}" ` : nothing;

const nearest = (percent: number) => Math.round(percent / 5) * 5;

type ShownImage = Pick<Media, 'id' | 'name' | 'width' | 'height' | 'widths'>;

/** How wide a body is at most. Its columns are narrower on some sites, which costs some bytes, and never sharpness. */
const sizes = '(max-width: 48rem) 100vw, 48rem';

const tag = /<img [^>]*>/g;

/** The ids of the site's own images in a body that was made safe. */
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
export function mediaIdOf(address: string, origin: string): string | null {
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
  return `${room}srcset="${srcset}" sizes="${sizes}" `;
}
