import { type RawBuilder, type SqlBool, sql } from 'kysely';
import type { z } from 'zod';
import {
  type CreateRedirect,
  canonicalTarget,
  type ListRedirects,
  redirectLimits as limits,
  pathOfTarget,
  type Redirect,
  redirectedCollections,
  type UpdateRedirect,
} from '../../../shared/contract/features/redirects.ts';
import { Timestamp } from '../../../shared/contract/moments.ts';
import { newRecordId } from '../../../shared/contract/record-id.ts';
import type { Transaction } from '../../../shared/db/config.ts';
import { RedirectEntity } from '../../../shared/db/entities/redirect.ts';
import { Site } from '../../../shared/db/entities/site.ts';
import { newestPage } from '../../../shared/db/newest-page.ts';
import { omitUndefined } from '../../../shared/omit-undefined.ts';
import { ownOriginOf } from '../../../shared/site-origin.ts';
import { ApiError, found } from '../../kernel/api-error.ts';
import type { Deps } from '../../kernel/deps.ts';
import { inTransaction, lockRow, nextUpdated, type SiteWrite } from '../../kernel/transaction.ts';
import { isShownAt, placeOf } from './shown-at.ts';

type Row = z.infer<typeof Redirect>;

/** SQL of where a redirect leads; null to a record that is gone, or that `where` leaves out. */
export const targetOf = (
  where: (name: (typeof redirectedCollections)[number]) => RawBuilder<unknown>,
): RawBuilder<string | null> =>
  sql`case redirects.collection when '' then redirects."to" ${sql.join(
    redirectedCollections.map(
      (name) => sql`when ${sql.lit(name)} then (
        select ${placeOf(name)} || slug from ${sql.table(name)} r
        where r.site_id = redirects.site_id and r.id = redirects.record_id and ${where(name)})`,
    ),
    sql` `,
  )} end`;

const shownTarget = () => sql<string>`coalesce(${targetOf(() => sql`true`)}, '')`;

/** As their owner sees them. */
const rowsOf = ({ database }: Pick<Deps, 'database'>, siteId: string) =>
  database.em
    .getKysely()
    .selectFrom('redirects')
    .select(['id', 'from', 'permanent', 'created', 'updated'])
    .select(shownTarget().as('to'))
    .select(sql<Row['collection']>`nullif(redirects.collection, '')`.as('collection'))
    .select(sql<string | null>`nullif(redirects.record_id, '')`.as('record_id'))
    .where('site_id', '=', siteId);

/** Throws `not_found`. */
export const getRedirect = async (deps: Pick<Deps, 'database'>, siteId: string, id: string) =>
  found(await rowsOf(deps, siteId).where('id', '=', id).executeTakeFirst());

/** Redirects of a site, newest first; `q` is any part of their addresses. */
export async function listRedirects(
  deps: Pick<Deps, 'database'>,
  siteId: string,
  { q, ...page }: z.infer<typeof ListRedirects>,
) {
  const target = shownTarget();
  const where =
    q === undefined
      ? []
      : [
          sql<SqlBool>`(position(lower(${q}) in lower(redirects."from")) > 0 or position(lower(${q}) in lower(${target})) > 0)`,
        ];
  return newestPage({ database: deps.database, siteId, rows: rowsOf(deps, siteId), where }, page);
}

interface RedirectWrite extends SiteWrite {
  deps: Deps;
  /** The host that the owner came by, which leads to the site too. */
  host: string;
}

/** One that leads to an address, not to a record whose slug was changed. */
const ofNoRecord = { collection: '', record_id: '' } as const;

/** Throws `validation_failed` for an address that leads in circles, or by more than one step, and past the limit. */
export async function createRedirect(
  { deps, siteId, host }: RedirectWrite,
  values: z.output<typeof CreateRedirect>,
) {
  return inTransaction(deps, siteId, async (em) => {
    const site = await lockRow(em, Site, { id: siteId });
    const now = new Timestamp(deps.clock.now());
    const id = newRecordId(now, deps.randomBytes);
    if ((await em.count(RedirectEntity, { site_id: siteId })) >= limits.perSite)
      throw new ApiError('validation_failed', `from: a site has at most ${limits.perSite} redirects`);
    const to = withinSite(values.to, [host, ...hostsOf(deps, site)]);
    await requireOneStep(em, siteId, { id, from: values.from, to });
    const row = { ...values, to, site_id: siteId, id, ...ofNoRecord, created: now, updated: now };
    em.persist(em.create(RedirectEntity, row));
    return { id, created: now };
  });
}

/** Changes the named fields. Throws `not_found`, `precondition_failed`, and as a create. */
export async function updateRedirect(
  write: RedirectWrite,
  { id, ...input }: z.output<typeof UpdateRedirect>,
): Promise<void> {
  const { deps, siteId, host } = write;
  await inTransaction(deps, siteId, async (em) => {
    const site = await lockRow(em, Site, { id: siteId });
    const row = await lockRow(em, RedirectEntity, { site_id: siteId, id });
    const updated = nextUpdated(row, write);
    const changes = omitUndefined(input);
    if (Object.keys(changes).length === 0) return;
    const { to } = changes;
    const changed = {
      ...changes,
      ...(to !== undefined && { to: withinSite(to, [host, ...hostsOf(deps, site)]), ...ofNoRecord }),
    };
    await requireOneStep(em, siteId, { id, from: row.from, to: row.to, ...changed });
    em.assign(row, { ...changed, updated });
  });
}

/** Throws `not_found` and `precondition_failed`. */
export async function deleteRedirect(write: SiteWrite, id: string): Promise<void> {
  await inTransaction(write.deps, write.siteId, async (em) => {
    const row = await lockRow(em, RedirectEntity, { site_id: write.siteId, id });
    nextUpdated(row, write);
    em.remove(row);
  });
}

interface Hosted {
  subdomain?: string | null | undefined;
  custom_domain?: string | null | undefined;
}

/** Hosts, with their ports, at which a site is found. */
export const hostsOf = ({ config }: Deps, { subdomain = null, custom_domain = null }: Hosted): string[] => {
  const origins = [
    ownOriginOf({ subdomain, custom_domain }, config),
    ownOriginOf({ subdomain, custom_domain: null }, config),
  ];
  return origins.flatMap((origin) => (origin ? [new URL(origin).host] : []));
};

/** An address of the site itself as its path. */
function withinSite(to: string, hosts: readonly string[]): string {
  if (to.startsWith('/')) return to;
  const { host, hostname, pathname, search, hash } = new URL(to);
  if (!hosts.includes(host) && !hosts.includes(hostname)) return to;
  const path = canonicalTarget(`${pathname}${search}${hash}`);
  if (path === null) throw new ApiError('validation_failed', 'to: must be a path or an https URL');
  return path;
}

/** SQL of the path that an address begins with. */
export const pathPart = (to: RawBuilder<unknown>) => sql`split_part(split_part(${to}, '#', 1), '?', 1)`;

/** Whoever follows one is there at once: none leads to another, nor to itself, nor stands where something is shown. */
async function requireOneStep(
  em: Transaction,
  siteId: string,
  { id, from, to }: Pick<Row, 'id' | 'from' | 'to'>,
) {
  const refuse = (message: string) => {
    throw new ApiError('validation_failed', message);
  };
  const path = pathOfTarget(to);
  if (path === from) refuse('to: must not be the same path as `from`');
  const { rows } = await sql<Record<'taken' | 'next' | 'before', string | null> & { is_shown: boolean }>`
    select
      (select id from redirects where site_id = ${siteId} and "from" = ${from} and id <> ${id}) as taken,
      (select "to" from redirects where site_id = ${siteId} and "from" = ${path} and id <> ${id}
        and not ${isShownAt(sql`${siteId}`, sql`${path}::text`)}) as next,
      (select "from" from redirects
        where site_id = ${siteId} and collection = '' and ${pathPart(sql`"to"`)} = ${from} and id <> ${id} limit 1) as before,
      ${isShownAt(sql`${siteId}`, sql`${from}::text`)} as is_shown`.execute(em.getKysely());
  const { taken, next, before, is_shown } = found(rows[0]);
  if (is_shown) refuse('from: the site shows a page at this path');
  if (taken !== null) refuse('from: already has a redirect');
  if (next !== null) refuse(`to: is redirected itself${next && `, to ${next}`}: use the final target`);
  if (before !== null)
    refuse(`from: is the target of the redirect from ${before}: change that one to the final target first`);
}
