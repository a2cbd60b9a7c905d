import { sql } from 'kysely';
import { z } from 'zod';
import { canonicalPath, redirectedCollections } from '../../../shared/contract/redirects.ts';
import { preparedStatement } from '../../../shared/db/client.ts';
import { keyProcedure } from '../../access/procedures.ts';
import { pathPart, shownWhen, targetOf } from './store.ts';

const Lead = z.strictObject({ to: z.string(), permanent: z.boolean() });

/**
 * Where a path in its one form leads, for the site's pages; null where nowhere. Imports may bring a redirect that leads to
 * another: it leads to the end of that.
 */
export const redirectFrom = keyProcedure
  .meta({ scope: 'read', reads: ['redirects', ...redirectedCollections] })
  .input(z.strictObject({ path: z.string() }))
  .output(Lead.nullable())
  .query(async ({ ctx, input: { path } }) => {
    const { rows } = await sql<{ to: string | null; permanent: boolean }>`${preparedStatement}
      select permanent, coalesce((
          select next."to" from redirects next where next.site_id = redirects.site_id and next.collection = ''
            and redirects.collection = '' and next."from" = ${pathPart(sql`redirects."to"`)}
        ), ${targetOf(shownWhen)}) as "to"
      from redirects where site_id = ${ctx.siteId} and "from" = ${path}`.execute(
      ctx.deps.database.em.getKysely(),
    );
    const [{ to, permanent } = { to: null, permanent: false }] = rows;
    return to && !leadsBack(to, path) ? { to, permanent } : null;
  });

/** Maybe by another host, which has become the site's since. */
const leadsBack = (to: string, path: string) =>
  canonicalPath(to.startsWith('/') ? (to.split(/[?#]/, 1)[0] ?? '') : new URL(to).pathname) === path;
