import type { z } from 'zod';
import type { StaffMember } from '../../../shared/contract/features/people.ts';
import type { Role } from '../../../shared/contract/roles.ts';
import type { Transaction } from '../../../shared/db/config.ts';
import { OauthGrant } from '../../../shared/db/entities/assistants.ts';
import {
  Invitation,
  OwnerSessionEntity,
  PasswordReset,
  Person,
  SitePerson,
} from '../../../shared/db/entities/person.ts';
import { ApiError } from '../../api/api-error.ts';
import { inTransaction, lockRow, type SiteScope } from '../../api/transaction.ts';
import { forgetFactors } from '../sessions/factors/store.ts';

/** Lists the people of a site, earliest first, followed by open invitations. */
export async function listPeople({ deps, siteId }: SiteScope): Promise<z.infer<typeof StaffMember>[]> {
  const db = deps.database.em.getKysely();
  const people = await db
    .selectFrom('site_people as m')
    .innerJoin('people as p', 'p.id', 'm.person_id')
    .select(['p.id', 'p.email', 'p.name', 'm.role', 'm.created'])
    .where('m.site_id', '=', siteId)
    .orderBy('m.created')
    .orderBy('p.id')
    .execute();
  const unused = db.selectFrom('invitations').where('site_id', '=', siteId).where('is_used', '=', false);
  const invitations = unused.select(['id', 'email', 'role', 'created', 'expires_at']);
  const invited = await invitations.orderBy('created').orderBy('id').execute();
  // In the statement, this condition would make PostgreSQL 15 read the invitations of all sites.
  const waiting = invited.filter(({ expires_at }) => expires_at > deps.clock.now());
  return [
    ...people.map((person) => ({ ...person, state: 'active' as const, expires_at: null })),
    ...waiting.map((invitation) => ({ ...invitation, state: 'invited' as const, name: '' })),
  ];
}

/**
 * Changes the role of a person, effective from their next request, or of an open invitation. Throws `not_found`, and
 * `last_owner` if the site would have no owner.
 */
export const changeRole = ({ deps, siteId }: SiteScope, { id, role }: { id: string; role: Role }) =>
  inTransaction(deps, siteId, async (em) => {
    const waiting = { site_id: siteId, id, is_used: false, expires_at: { $gt: deps.clock.now() } };
    if ((await em.nativeUpdate(Invitation, waiting, { role })) > 0) return;
    const owners = await lockOwners(em, siteId);
    if (role !== 'owner') requireAnother(owners, id);
    const changed = await em.nativeUpdate(SitePerson, { site_id: siteId, person_id: id }, { role });
    if (changed === 0) throw new ApiError('not_found');
  });

/**
 * Removes a person from a site, with their sessions and assistants there, or revokes an invitation. An account
 * without any site is deleted. Throws `not_found`, and `last_owner` if the site would have no owner.
 */
export const removePerson = ({ deps, siteId }: SiteScope, id: string) =>
  inTransaction(deps, siteId, async (em) => {
    const own = { site_id: siteId, id };
    if ((await em.nativeDelete(Invitation, { ...own, is_used: false })) > 0) return;
    // The person is locked first, as in every sign-in, so that no session or role on another site begins concurrently.
    await lockRow(em, Person, { id });
    requireAnother(await lockOwners(em, siteId), id);
    if ((await em.nativeDelete(SitePerson, { site_id: siteId, person_id: id })) === 0)
      throw new ApiError('not_found');
    await em.nativeDelete(OwnerSessionEntity, { site_id: siteId, owner_id: id });
    await em.nativeDelete(OauthGrant, { site_id: siteId, person_id: id });
    if ((await em.count(SitePerson, { person_id: id })) > 0) return;
    await em.nativeDelete(PasswordReset, { person_id: id });
    await forgetFactors(em, id);
    await em.nativeDelete(Person, { id });
  });

/** Returns the ids of a site's owners, and locks their roles. */
async function lockOwners(em: Transaction, siteId: string): Promise<string[]> {
  const people = em.getKysely().selectFrom('site_people').select('person_id').where('site_id', '=', siteId);
  const owners = await people.where('role', '=', 'owner').orderBy('person_id').forUpdate().execute();
  return owners.map(({ person_id }) => person_id);
}

function requireAnother(owners: readonly string[], id: string) {
  if (owners.length === 1 && owners[0] === id) throw new ApiError('last_owner');
}
