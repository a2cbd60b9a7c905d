import { raw } from 'hono/html';
import { keptBody } from '../../../features/bodies/render.ts';
import type { Visit } from '../page.ts';
import { imageIdsIn, withSizes } from './images.ts';
import type { View } from './parts.ts';

interface BodyOptions {
  /** Level of the heading that it stands below. */
  below?: 1 | 2 | 3;
  /** Tells it apart where a page has several bodies. */
  name?: string;
}

/** A body as a page shows it, its images in the sizes that there are. The page has to declare `media` among what it uses. */
export async function bodyHtml(
  { responses, origin, read }: Visit,
  content: string,
  { below = 1, name }: BodyOptions = {},
): Promise<View> {
  const leveled = withHeadingsBelow(keptBody(responses, content).html, below);
  const html = name ? withNamedParts(leveled, name) : leveled;
  const ids = imageIdsIn(html, origin);
  if (ids.length === 0) return raw(html);
  const { data } = await read('visitors.images', { ids });
  return raw(withSizes(html, origin, data));
}

/** Headings of a rendered body begin at 2, and have no attributes. */
const withHeadingsBelow = (html: string, level: number) =>
  level === 1
    ? html
    : html.replace(
        /<(\/?)h([2-6])>/g,
        (_, slash: string, own: string) => `<${slash}h${Math.min(Number(own) + level - 1, 6)}>`,
      );

/** What the renderer names are footnotes and tasks, by numbers that begin anew with each body. */
const withNamedParts = (html: string, name: string) =>
  /footnote|task-item/.test(html)
    ? html.replace(/<(a|li|input|label) [^>]*>/g, (tag) =>
        tag.replace(/ (id="|for="|href="#)(?=footnote|task-item)/g, ` $1${name}-`),
      )
    : html;
