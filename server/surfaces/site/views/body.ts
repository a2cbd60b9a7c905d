import { raw } from 'hono/html';
import { keptBody } from '../../../features/bodies/render.ts';
import type { Visit } from '../page.ts';
import { imageIdsIn, withSizes } from './images.ts';
import type { View } from './parts.ts';

/** A body as a page shows it, its images in the sizes that there are. The page has to declare `media` among what it uses. */
export async function bodyHtml({ responses, origin, read }: Visit, content: string): Promise<View> {
  const { html } = keptBody(responses, content);
  const ids = imageIdsIn(html, origin);
  if (ids.length === 0) return raw(html);
  const { data } = await read('visitors.images', { ids });
  return raw(withSizes(html, origin, data));
}
