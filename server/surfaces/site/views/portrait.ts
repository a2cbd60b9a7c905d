import { html } from 'hono/html';
import { firstCharacter } from '../../../../shared/contract/cut-text.ts';
import { mediaSizeUrl, mediaUrl } from '../../../../shared/contract/features/media-address.ts';
import type { Visit } from '../page.ts';
import { focusClass, mediaIdOf } from './images.ts';
import type { LayoutData } from './layout-data.ts';
import { nothing, type View, when } from './parts.ts';

/** How wide it is shown at most: at the top of the home page, and beside the name at the end of a post. */
const sizes = { hero: '(max-width: 48rem) 8rem, 22rem', byline: '3.5rem' } as const;

/**
 * The creator's picture, in the sizes that there are where it is one of the site's own; nothing where none is set. The page
 * has to declare `media` among what it uses.
 */
export async function portrait(
  { origin, read }: Visit,
  { creator, profile }: LayoutData,
  place: keyof typeof sizes,
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
    () => html`srcset="${copies.join(', ')}" sizes="${sizes[place]}" `,
  )}alt="${alt}" width="${width}" height="${height}" decoding="async"></div>`;
}
