import { type SqlBool, sql } from 'kysely';
import type { z } from 'zod';
import { Member, memberFilters, type UpdateMember } from '../../../shared/contract/features/member.ts';
import { namesOf, omitUndefined } from '../../../shared/contract/names-of.ts';
import { newRecordId } from '../../../shared/contract/record-id.ts';
import type { Transaction } from '../../../shared/db/config.ts';
import { MemberEntity } from '../../../shared/db/entities/audience.ts';
import { newestPage } from '../../../shared/db/newest-page.ts';
import { containing, rowsOfList } from '../../../shared/db/search-people.ts';
import { entitlementsOf } from '../../../shared/selling/entitlements.ts';
import { found } from '../../api/api-error.ts';
import type { ServerConfig, StoreDeps } from '../../api/deps.ts';
import { conditionsOf, type Filter, inTurn, isFiltered } from '../../api/filter-sql.ts';
import { inTransaction, lockRow, nextUpdated, type SiteWrite } from '../../api/transaction.ts';

type Name = keyof z.infer<typeof Member>;

type MemberDeps = StoreDeps & { config: Pick<ServerConfig, 'countsTest'> };

function members({ database, clock, config }: MemberDeps, names: readonly Name[] = namesOf(Member)) {
  const open = entitlementsOf({
    siteId: sql`members.site_id`,
    email: sql`members.email`,
    at: clock.now(),
    countsTest: config.countsTest,
  });
  const columns = names.map((name) =>
    name === 'open_tiers'
      ? sql<z.infer<typeof Member>['open_tiers']>`(select tiers from ${open})`.as('open_tiers')
      : name,
  );
  return database.em.getKysely().selectFrom('members').select(columns);
}

/**
 * Lists one page of a site's members, newest first, and the number of all matching ones. Without `fields`, they have all
 * fields.
 */
export function listMembers(
  deps: MemberDeps,
  siteId: string,
  {
    page,
    per_page,
    fields,
    ...filter
  }: Filter & { page: number; per_page: number; fields?: readonly Name[] | undefined },
) {
  const where = conditionsOn(filter);
  const counted = isFiltered(filter) ? undefined : () => countMembers(deps, siteId);
  const rows = members(deps, fields).where(ofSite(siteId, filter));
  return newestPage({ database: deps.database, siteId, rows, where, counted }, { page, per_page });
}

/**
 * SQL condition: a member belongs to the site, in the form of the index that serves the filter. Email addresses have
 * an index of their own.
 */
export const ofSite = (siteId: string, { email }: Filter) =>
  email === undefined ? rowsOfList(siteId) : sql<SqlBool>`site_id = ${siteId}`;

/**
 * Returns the SQL conditions of a filter. Status and tiers are compared as bits in the index of the list (migration 0035),
 * so that no member's row is read.
 */
export function conditionsOn({ q, status, access_tiers, ...others }: Filter) {
  const marks = [
    ...(status === undefined
      ? []
      : [sql`bit_or(member_marks(one, '{}')) from unnest(${status}::text[]) one`]),
    ...(access_tiers === undefined ? [] : [sql`member_marks('', ${access_tiers}::text[])`]),
  ];
  const marked = marks.map((any) => sql<SqlBool>`(marks & (select ${any})) > 0`);
  return inTurn([...containing('search', q), ...marked, ...conditionsOf(memberFilters, others).plain]);
}

/** Returns the stored number of members, because counting them takes longer than reading a page. */
async function countMembers({ database }: StoreDeps, siteId: string): Promise<number> {
  const states = database.em.getKysely().selectFrom('collection_state').select('public_count');
  const own = states.where('site_id', '=', siteId).where('collection', '=', 'members');
  const row = await own.executeTakeFirst();
  return row?.public_count ?? 0;
}

/** Gets a member. Throws `not_found`. */
export async function getMember(deps: MemberDeps, siteId: string, id: string) {
  return found(await members(deps).where('site_id', '=', siteId).where('id', '=', id).executeTakeFirst());
}

/**
 * Creates the member with this address unless there is one, records the visit, and returns the member's ID. Null for
 * a blocked member. The name is used only for a new member.
 */
export async function ensureMember(
  em: Transaction,
  { clock, randomBytes }: StoreDeps,
  siteId: string,
  email: string,
  name: string,
): Promise<string | null> {
  const now = clock.now();
  const row = await em
    .getKysely()
    .insertInto('members')
    .values({
      site_id: siteId,
      id: newRecordId(now, randomBytes),
      email,
      name,
      status: 'active',
      access_tiers: [],
      last_seen_at: now,
      created: now,
      updated: now,
    })
    .onConflict((conflict) =>
      conflict
        .columns(['site_id', 'email'])
        .doUpdateSet({ last_seen_at: now })
        .where('members.status', '=', 'active'),
    )
    .returning('id')
    .executeTakeFirst();
  return row?.id ?? null;
}

/**
 * Changes the given fields of a member. Blocking takes effect from the member's next request. Throws `not_found`, and
 * `precondition_failed` if `ifMatch` does not match the revision.
 */
export async function updateMember(write: SiteWrite, { id, ...input }: z.infer<typeof UpdateMember>) {
  const changes = omitUndefined(input);
  if (changes.name === null) changes.name = '';
  await inTransaction(write.deps, write.siteId, async (em) => {
    const own = { site_id: write.siteId, id };
    const row = await lockRow(em, MemberEntity, own);
    const updated = nextUpdated(row, write);
    if (Object.keys(changes).length > 0) em.assign(row, { ...changes, updated });
  });
}
