import { LockMode } from '@mikro-orm/core';
import type { Kysely } from 'kysely';
import type { z } from 'zod';
import type { Member, UpdateMember } from '../../shared/contract/member.ts';
import { MemberEntity } from '../../shared/db/entities/audience.ts';
import type { Deps } from '../deps.ts';
import { ApiError } from '../errors.ts';
import { given } from '../given.ts';
import { newestPage } from '../newest-page.ts';

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

const rows = ({ database }: Deps, siteId: string) => {
  const reads: Kysely<{ members: Shown & { site_id: string } }> = database.em.getKysely();
  return reads.selectFrom('members').where('site_id', '=', siteId);
};

/** Members of a site, newest first. */
export function listMembers(
  deps: Deps,
  siteId: string,
  { page, per_page }: { page: number; per_page: number },
) {
  return newestPage(rows(deps, siteId).select(columns), { page, per_page });
}

/** Throws `not_found`. */
export async function getMember(deps: Deps, siteId: string, id: string): Promise<Shown> {
  const row = await rows(deps, siteId).select(columns).where('id', '=', id).executeTakeFirst();
  if (!row) throw new ApiError('not_found');
  return row;
}

/** Changes a member; blocking holds from the member's next request on. Throws `not_found`. */
export async function updateMember(
  { database, clock }: Deps,
  siteId: string,
  { id, ...input }: z.infer<typeof UpdateMember>,
) {
  const changes = given(input);
  if (changes.name === null) changes.name = '';
  await database.em.fork().transactional(async (em) => {
    const own = { site_id: siteId, id };
    const row = await em.findOne(MemberEntity, own, { lockMode: LockMode.PESSIMISTIC_WRITE });
    if (!row) throw new ApiError('not_found');
    if (Object.keys(changes).length > 0) em.assign(row, { ...changes, updated: clock.now() });
  });
}
