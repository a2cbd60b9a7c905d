import { type RawBuilder, type SqlBool, sql } from 'kysely';
import { redirectedCollections } from '../../../shared/contract/features/redirects.ts';
import { allResources } from '../../../shared/contract/resources/index.ts';
import { pageOf } from '../../../shared/contract/site-paths.ts';

/** SQL of where records of a collection are shown, before their slug. */
export const placeOf = (name: (typeof redirectedCollections)[number]) =>
  sql.lit((pageOf(allResources[name].name, ' ') ?? '').trim());

/** SQL of whether visitors see a record at a path, which then leads nowhere else. */
export const isShownAt = (siteId: RawBuilder<unknown>, path: RawBuilder<unknown>): RawBuilder<SqlBool> =>
  sql<SqlBool>`exists (${sql.join(
    redirectedCollections.map(
      (name) => sql`select 1 from ${sql.table(name)} r
        where r.site_id = ${siteId} and r.slug = substr(${path}, length(${placeOf(name)}) + 1)
          and starts_with(${path}, ${placeOf(name)}) and ${shownWhen(name)}`,
    ),
    sql` union all `,
  )})`;

/** SQL of when visitors see a record `r` at its address: custom pages also when they are in no list. */
export const shownWhen = (name: (typeof redirectedCollections)[number]): RawBuilder<unknown> =>
  name === 'pages' ? sql`not r.is_draft and r.visibility in ('public', 'unlisted')` : sql`r.is_public`;
