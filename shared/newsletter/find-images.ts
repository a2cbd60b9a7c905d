import { type Kysely, sql } from 'kysely';
import { media } from '../contract/limits.ts';
import type { MailedImage } from './mailed-images.ts';

const address = /\/media\/([a-z0-9]{15})\//g;

/**
 * Finds the site's own images in a post. `cover` is null if there is none or it was deleted. `pictures` contains the cover
 * and the images in the body.
 */
export async function findImages(
  db: Kysely<unknown>,
  siteId: string,
  { cover, content }: { cover: string; content: string },
): Promise<{ cover: MailedImage | null; pictures: MailedImage[] }> {
  const inBody = new Set([...content.matchAll(address)].map(([, id = '']) => id));
  const ids = [...(cover ? [cover] : []), ...[...inBody].slice(0, media.maxResizedImages)];
  if (ids.length === 0) return { cover: null, pictures: [] };
  const { rows: images } = await sql<MailedImage>`
    select id, name, alt, caption, type, size, width, height, widths from media
    where site_id = ${siteId} and id = any(${ids}::text[]) and width is not null order by id`.execute(db);
  return { cover: images.find(({ id }) => id === cover) ?? null, pictures: images };
}
