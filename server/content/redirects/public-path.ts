import { type RawBuilder, type SqlBool, sql } from 'kysely';
import { redirectedCollections } from '../../../shared/contract/features/redirects.ts';
import { allResources } from '../../../shared/contract/resources/index.ts';
import { pageOf } from '../../../shared/contract/site-paths.ts';

/** SQL literal: path of a collection's pages up to the slug, with the slash before it. */
export const pathPrefix = (name: (typeof redirectedCollections)[number]) =>
  sql.lit((pageOf(allResources[name].name, ' ') ?? '').trim());

/** SQL condition: visitors see a record at a path. Redirects from this path are then ignored. */
export const isPublicPath = (siteId: RawBuilder<unknown>, path: RawBuilder<unknown>): RawBuilder<SqlBool> =>
  sql<SqlBool>`exists (${sql.join(
    redirectedCollections.map(
      (name) => sql`select 1 from ${sql.table(name)} r
        where r.site_id = ${siteId} and r.slug = substr(${path}, length(${pathPrefix(name)}) + 1)
          and starts_with(${path}, ${pathPrefix(name)}) and ${isPubliclyVisible(name)}`,
    ),
    sql` union all `,
  )})`;

/** SQL condition: visitors see a record `r` at its path. Unlisted custom pages count. */
export const isPubliclyVisible = (name: (typeof redirectedCollections)[number]): RawBuilder<unknown> =>
  name === 'pages' ? sql`not r.is_draft and r.visibility in ('public', 'unlisted')` : sql`r.is_public`;
