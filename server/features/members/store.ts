import { LockMode } from '@mikro-orm/core';
import type { EntityManager } from '@mikro-orm/postgresql';
import { type Kysely, sql } from 'kysely';
import type { z } from 'zod';
import type { Member, UpdateMember } from '../../../shared/contract/member.ts';
import { newRecordId } from '../../../shared/contract/record-id.ts';
import { MemberEntity } from '../../../shared/db/entities/audience.ts';
import { omitUndefined } from '../../../shared/omit-undefined.ts';
import type { StoreDeps } from '../../kernel/deps.ts';
import { ApiError } from '../../kernel/errors.ts';
import { newestPage } from '../../kernel/newest-page.ts';

type Shown = z.infer<typeof Member>;

const columns = [
  'id',
  'email',
  'name',
  'status',
  'access_tiers',
  'created',
  'updated',
  'last_seen_at',
] as const;

const rows = ({ database }: StoreDeps, siteId: string) => {
  const reads: Kysely<{ members: Shown & { site_id: string } }> = database.em.getKysely();
  return reads.selectFrom('members').where('site_id', '=', siteId);
};

/** Members of a site, newest first. */
export function listMembers(
  deps: StoreDeps,
  siteId: string,
  { page, per_page }: { page: number; per_page: number },
) {
  return newestPage(rows(deps, siteId).select(columns), { page, per_page }, countMembers(deps, siteId));
}

/** The number that is kept, for counting them takes longer than reading a page. */
async function countMembers({ database }: StoreDeps, siteId: string): Promise<number> {
  const { rows } = await sql<{ total: number }>`
    select public_count as total from collection_state where site_id = ${siteId} and collection = 'members'`.execute(
    database.em.getKysely(),
  );
  return rows[0]?.total ?? 0;
}

/** Throws `not_found`. */
export async function getMember(deps: StoreDeps, siteId: string, id: string): Promise<Shown> {
  const row = await rows(deps, siteId).select(columns).where('id', '=', id).executeTakeFirst();
  if (!row) throw new ApiError('not_found');
  return row;
}

interface NewMember {
  siteId: string;
  email: string;
  name: string;
}

/**
 * Sees to it that there is a member with this address, whose visit it notes, and gives their id; null for one who is
 * blocked. The name is that of a new member only.
 */
export async function ensureMember(
  em: EntityManager,
  { clock, randomBytes }: StoreDeps,
  { siteId, email, name }: NewMember,
): Promise<string | null> {
  const now = clock.now();
  const { rows } = await sql<{ id: string }>`
    insert into members (site_id, id, email, name, status, access_tiers, last_seen_at, created, updated)
    values (${siteId}, ${newRecordId(now, randomBytes)}, ${email}, ${name}, 'active', '{}', ${now}, ${now}, ${now})
    on conflict (site_id, email) do update set last_seen_at = ${now} where members.status = 'active'
    returning id`.execute(em.getKysely());
  return rows[0]?.id ?? null;
}

/** Changes a member; blocking holds from the member's next request on. Throws `not_found`. */
export async function updateMember(
  { database, clock }: StoreDeps,
  siteId: string,
  { id, ...input }: z.infer<typeof UpdateMember>,
) {
  const changes = omitUndefined(input);
  if (changes.name === null) changes.name = '';
  await database.em.fork().transactional(async (em) => {
    const own = { site_id: siteId, id };
    const row = await em.findOne(MemberEntity, own, { lockMode: LockMode.PESSIMISTIC_WRITE });
    if (!row) throw new ApiError('not_found');
    if (Object.keys(changes).length > 0) em.assign(row, { ...changes, updated: clock.now() });
  });
}
