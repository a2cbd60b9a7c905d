import { type RawBuilder, type SqlBool, sql } from 'kysely';
import type { z } from 'zod';
import {
  type CreateRedirect,
  canonicalPath,
  canonicalTarget,
  type ListRedirects,
  redirectLimits as limits,
  pathOfTarget,
  type Redirect,
  redirectedCollections,
  type UpdateRedirect,
} from '../../../shared/contract/features/redirects.ts';
import { omitUndefined } from '../../../shared/contract/names-of.ts';
import { newRecordId } from '../../../shared/contract/record-id.ts';
import { ownOriginOf } from '../../../shared/contract/site-paths.ts';
import { Timestamp } from '../../../shared/contract/timestamps.ts';
import { preparedStatement } from '../../../shared/db/client.ts';
import type { Transaction } from '../../../shared/db/config.ts';
import { RedirectEntity } from '../../../shared/db/entities/redirect.ts';
import { Site } from '../../../shared/db/entities/site.ts';
import { newestPage } from '../../../shared/db/newest-page.ts';
import { ApiError, found } from '../../api/api-error.ts';
import type { Deps } from '../../api/deps.ts';
import { inTransaction, lockRow, nextUpdated, type SiteWrite } from '../../api/transaction.ts';
import { isPubliclyVisible, isPublicPath, pathPrefix } from './public-path.ts';

type Row = z.infer<typeof Redirect>;

/** SQL: target of a redirect; null if its record was deleted or does not meet `where`. */
const targetOf = (
  where: (name: (typeof redirectedCollections)[number]) => RawBuilder<unknown>,
): RawBuilder<string | null> =>
  sql`case redirects.collection when '' then redirects."to" ${sql.join(
    redirectedCollections.map(
      (name) => sql`when ${sql.lit(name)} then (
        select ${pathPrefix(name)} || slug from ${sql.table(name)} r
        where r.site_id = redirects.site_id and r.id = redirects.record_id and ${where(name)})`,
    ),
    sql` `,
  )} end`;

const shownTarget = () => sql<string>`coalesce(${targetOf(() => sql`true`)}, '')`;

/** Redirects in the form that their owner sees. */
const rowsOf = ({ database }: Pick<Deps, 'database'>, siteId: string) =>
  database.em
    .getKysely()
    .selectFrom('redirects')
    .select(['id', 'from', 'permanent', 'created', 'updated'])
    .select(shownTarget().as('to'))
    .select(sql<Row['collection']>`nullif(redirects.collection, '')`.as('collection'))
    .select(sql<string | null>`nullif(redirects.record_id, '')`.as('record_id'))
    .where('site_id', '=', siteId);

/** Gets a redirect. Throws `not_found` if the site has none with this ID. */
export const getRedirect = async (deps: Pick<Deps, 'database'>, siteId: string, id: string) =>
  found(await rowsOf(deps, siteId).where('id', '=', id).executeTakeFirst());

/**
 * Lists one page of a site's redirects, newest first, and the total number. `q` is any part of their source or target, in
 * any case.
 */
export async function listRedirects(
  deps: Pick<Deps, 'database'>,
  siteId: string,
  { q, ...page }: z.infer<typeof ListRedirects>,
) {
  const target = shownTarget();
  const has = (address: RawBuilder<unknown>) => sql`position(lower(${q}) in lower(${address})) > 0`;
  const where = q === undefined ? [] : [sql<SqlBool>`(${has(sql`redirects."from"`)} or ${has(target)})`];
  return newestPage({ database: deps.database, siteId, rows: rowsOf(deps, siteId), where }, page);
}

interface RedirectWrite extends SiteWrite {
  deps: Deps;
  /** Host of the owner's request, which counts as a host of the site, too. */
  host: string;
}

/** Values of a redirect to a URL instead of a record. */
const ofNoRecord = { collection: '', record_id: '' } as const;

/**
 * Creates a redirect. Throws `validation_failed` if it would be part of a loop or chain, if its source has a redirect or
 * shows a page, or above the maximum number.
 */
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

/**
 * Updates the given fields. Throws `not_found` and `precondition_failed`. Throws `validation_failed` if the redirect
 * would be part of a loop or chain, or if its source has another redirect or shows a page.
 */
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

/** Deletes a redirect. Throws `not_found` and `precondition_failed`. */
export async function deleteRedirect(write: SiteWrite, id: string): Promise<void> {
  await inTransaction(write.deps, write.siteId, async (em) => {
    const row = await lockRow(em, RedirectEntity, { site_id: write.siteId, id });
    nextUpdated(row, write);
    em.remove(row);
  });
}

/** Returns the hosts of a site's own domain and subdomain, with ports that are not the default. Empty if it has none. */
export const hostsOf = (
  { config }: Deps,
  {
    subdomain = null,
    custom_domain = null,
  }: Partial<Record<'subdomain' | 'custom_domain', string | null | undefined>>,
): string[] => {
  const origins = [custom_domain, null].map((custom) =>
    ownOriginOf({ subdomain, custom_domain: custom }, config),
  );
  return origins.flatMap((origin) => (origin ? [new URL(origin).host] : []));
};

/** Converts a URL of the site itself to its path. */
function withinSite(to: string, hosts: readonly string[]): string {
  if (to.startsWith('/')) return to;
  const { host, hostname, pathname, search, hash } = new URL(to);
  if (!hosts.includes(host) && !hosts.includes(hostname)) return to;
  const path = canonicalTarget(`${pathname}${search}${hash}`);
  if (path === null) throw new ApiError('validation_failed', 'to: must be a path or an https URL');
  return path;
}

/** SQL: path of a target without query and fragment. */
const pathPart = (to: RawBuilder<unknown>) => sql`split_part(split_part(${to}, '#', 1), '?', 1)`;

/**
 * Throws `validation_failed` unless the redirect reaches its target in one step, its source has no other redirect, and no
 * page is shown at its source.
 */
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
        and not ${isPublicPath(sql`${siteId}`, sql`${path}::text`)}) as next,
      (select "from" from redirects
        where site_id = ${siteId} and collection = '' and ${pathPart(sql`"to"`)} = ${from} and id <> ${id} limit 1) as before,
      ${isPublicPath(sql`${siteId}`, sql`${from}::text`)} as is_shown`.execute(em.getKysely());
  const { taken, next, before, is_shown } = found(rows[0]);
  if (is_shown) refuse('from: the site shows a page at this path');
  if (taken !== null) refuse('from: already has a redirect');
  if (next !== null) refuse(`to: is redirected itself${next && `, to ${next}`}: use the final target`);
  if (before !== null)
    refuse(`from: is the target of the redirect from ${before}: change that one to the final target first`);
}

interface VisitedRedirect {
  deps: Pick<Deps, 'database'>;
  siteId: string;
  /** Known hosts of the site. */
  hosts: readonly string[];
}

type Lead = Pick<Row, 'to' | 'permanent'>;

/** Maximum number of redirects that are followed for a request. */
const maxSteps = 10;

/**
 * Returns the final target of a path; it is permanent if all steps are. Null if there is none, if the redirects form a
 * loop, or after 10 steps. A target on another host may have become a domain of the site since; it is then followed. A
 * target that is a path is returned as `findLead` found it.
 */
export async function findEnd(site: VisitedRedirect, path: string): Promise<Lead | null> {
  const passed = new Set([path]);
  let end = await findLead(site, path);
  for (let at = ownPathOf(site, end); end && at !== null; at = ownPathOf(site, end)) {
    if (passed.has(at) || passed.size > maxSteps) return null;
    passed.add(at);
    const next = await findLead(site, at);
    if (!next) break;
    end = { to: next.to, permanent: end.permanent && next.permanent };
  }
  return end && pathOfTarget(end.to) === path && end.to.startsWith('/') ? null : end;
}

/** Returns the path of a target that names a host of the site; null for other targets, such as paths. */
function ownPathOf({ hosts }: VisitedRedirect, lead: Lead | null): string | null {
  if (!lead || lead.to.startsWith('/')) return null;
  const { host, hostname, pathname } = new URL(lead.to);
  return hosts.includes(host) || hosts.includes(hostname) ? canonicalPath(pathname) : null;
}

/**
 * Returns the target of the redirect from a path. Null if there is none, or if the path shows a page. If the target
 * is a path with a redirect of its own, that redirect is followed too, one step.
 */
async function findLead({ deps, siteId }: VisitedRedirect, path: string): Promise<Lead | null> {
  const { rows } = await sql<{ to: string | null; permanent: boolean }>`${preparedStatement}
    select permanent, coalesce((
        select next."to" from redirects next where next.site_id = redirects.site_id and next.collection = ''
          and redirects.collection = '' and next."from" = ${pathPart(sql`redirects."to"`)}
          and not ${isPublicPath(sql`next.site_id`, sql`next."from"`)}
      ), ${targetOf(isPubliclyVisible)}) as "to"
    from redirects where site_id = ${siteId} and "from" = ${path}
      and not ${isPublicPath(sql`redirects.site_id`, sql`redirects."from"`)}`.execute(
    deps.database.em.getKysely(),
  );
  const [{ to, permanent } = { to: null, permanent: false }] = rows;
  return to ? { to, permanent } : null;
}
