import { sql } from 'kysely';
import { mediaUrl } from '../../../shared/contract/features/media-address.ts';
import { type Cover, type Include, type Included, includedNames } from '../../../shared/contract/sharing.ts';
import { preparedStatement } from '../../../shared/db/client.ts';
import type { Collection } from './collection.ts';

export const includedColumns = (include: Include = []): string[] =>
  include.flatMap((name) => includedNames[name]);

/** Row with the columns of included data. */
type WithIncluded = Omit<Included, 'cover'> & { cover?: unknown };

/**
 * Replaces included columns by their data: a cover's ID becomes the image, or null if it was deleted. Columns that
 * `include` does not name are removed.
 */
export async function including<Row extends object>(
  collection: Pick<Collection, 'deps' | 'siteId'>,
  rows: readonly Row[],
  include: Include = [],
): Promise<Row[]> {
  const wanted = new Set(includedColumns(include));
  const covers = wanted.has('cover') ? await findCovers(collection, rows) : new Map<unknown, Cover>();
  return rows.map((row) => {
    const { cover, meta_title, meta_description, ...rest }: WithIncluded = row;
    const shown = {
      ...rest,
      ...(wanted.has('cover') && { cover: covers.get(cover) ?? null }),
      ...(wanted.has('meta_title') && { meta_title, meta_description }),
    };
    // `cover` was an ID and is an image now, as the contract requires.
    return shown as Row;
  });
}

/** Finds the cover images of rows, by ID. */
async function findCovers(
  { deps, siteId }: Pick<Collection, 'deps' | 'siteId'>,
  rows: readonly WithIncluded[],
): Promise<ReadonlyMap<unknown, Cover>> {
  const ids = new Set(rows.flatMap(({ cover }) => (typeof cover === 'string' && cover ? [cover] : [])));
  if (ids.size === 0) return new Map();
  const { rows: images } = await sql<Image>`${preparedStatement}
    select id, name, alt, caption, focus, width, height, widths from media
    where site_id = ${siteId} and id = any(${[...ids]}) and width is not null`.execute(
    deps.database.em.getKysely(),
  );
  return new Map(images.map(({ id, name, ...about }) => [id, { url: mediaUrl({ id, name }), ...about }]));
}

type Image = Omit<Cover, 'url'> & { id: string; name: string };
