import { sql } from 'kysely';
import type { Context } from '../context.ts';
import { ApiError } from '../errors.ts';
import { publicProcedure } from './procedures.ts';
import { subdomainOf } from './site-of-host.ts';

/** Needs no credential; the site is the one that the `Host` names, else the only one there is (DECISIONS 1). */
export const siteProcedure = publicProcedure.use(async ({ ctx, next }) =>
  next({ ctx: { siteId: await getSiteOfHost(ctx) } }),
);

/** Throws `not_found` when the host names no site and there are several. */
async function getSiteOfHost({ deps, host }: Context): Promise<string> {
  const subdomain = subdomainOf(host, deps.config.publicUrl.hostname);
  const { rows } = await sql<{ id: string; named: boolean }>`
    (select id, true as named from sites where custom_domain = ${host} or subdomain = ${subdomain} limit 1)
    union all (select id, false from sites limit 2)
    order by named desc`.execute(deps.database.em.getKysely());
  const [first, second] = rows;
  if (!first || (!first.named && second)) throw new ApiError('not_found');
  return first.id;
}
