import { sql } from 'kysely';
import { mailboxOf } from '../../shared/contract/email.ts';
import { titleFieldOf } from '../../shared/contract/resource.ts';
import { allResources } from '../../shared/contract/resources/index.ts';
import { pageOf } from '../../shared/contract/site-paths.ts';
import type { Deps } from '../api/deps.ts';

/** Maximum number of purchases and of memberships that a member sees, newest first. */
const maxShown = 200;

/** Purchases and memberships of a member, newest first; test sales only where they count. */
export async function listHoldings(
  { database, config }: Pick<Deps, 'database' | 'config'>,
  siteId: string,
  email: string,
) {
  const db = database.em.getKysely();
  const purchases = await db
    .selectFrom('purchases')
    .select(['id', 'content_type', 'content_id', 'amount', 'currency', 'state', 'created'])
    .where('site_id', '=', siteId)
    .where('buyer_email', '=', email)
    .$if(!config.countsTest, (query) => query.where('livemode', '=', true))
    .orderBy('created', 'desc')
    .limit(maxShown)
    .execute();
  const memberships = await db
    .selectFrom('memberships')
    .leftJoin('offers', (join) =>
      join
        .onRef('offers.site_id', '=', 'memberships.site_id')
        .onRef('offers.id', '=', 'memberships.offer_id'),
    )
    .select(['memberships.id', 'title', 'provider', 'state', 'blocked', 'open_until', 'cancel_at'])
    .select(['memberships.amount', 'memberships.currency', 'memberships.interval'])
    .where('memberships.site_id', '=', siteId)
    .where('mailbox', '=', mailboxOf(email))
    .$if(!config.countsTest, (query) => query.where('livemode', '=', true))
    .orderBy('memberships.created', 'desc')
    .limit(maxShown)
    .execute();
  const records = new Map<string, { title: string; path: string | null }>();
  for (const type of new Set(purchases.map(({ content_type }) => content_type)))
    for (const { id, ...record } of await findRecords({ database }, siteId, type, purchases))
      records.set(id, record);
  return {
    purchases: purchases.map(({ content_id, content_type: _, ...purchase }) => ({
      ...purchase,
      record: records.get(content_id) ?? null,
    })),
    memberships,
  };
}

/** Bought records of one type that exist, with their paths where visitors see them. */
async function findRecords(
  { database }: Pick<Deps, 'database'>,
  siteId: string,
  type: string,
  purchases: readonly { content_type: string; content_id: string }[],
) {
  const resource = Object.values(allResources).find(({ collection }) => collection === type);
  if (!resource) return [];
  const ids = purchases.flatMap(({ content_type, content_id }) =>
    content_type === type ? [content_id] : [],
  );
  const slug = 'slug' in resource.fields ? sql.ref('slug') : sql`''`;
  const { rows } = await sql<{ id: string; title: string; slug: string; is_public: boolean }>`
    select id, ${sql.ref(titleFieldOf(resource))} as title, ${slug} as slug, is_public from ${sql.table(type)}
    where site_id = ${siteId} and id = any(${ids})`.execute(database.em.getKysely());
  return rows.map(({ id, title, slug: name, is_public }) => ({
    id,
    title,
    path: is_public ? pageOf(resource.name, name) : null,
  }));
}
