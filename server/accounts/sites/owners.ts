import { UniqueConstraintViolationException } from '@mikro-orm/core';
import { base62, newRecordId, randomText } from '../../../shared/contract/record-id.ts';
import { Person, SitePerson } from '../../../shared/db/entities/person.ts';
import { hashPassword } from '../../../shared/runtime/password.ts';
import { ApiError } from '../../api/api-error.ts';
import type { StoreDeps } from '../../api/deps.ts';

/** Makes an owner of a site, and gives their id. Throws `validation_failed` for an e-mail address in use. */
export async function createOwner(
  deps: StoreDeps,
  siteId: string,
  owner: { email: string; name: string; password: string },
): Promise<string> {
  const now = deps.clock.now();
  const id = newRecordId(now, deps.randomBytes);
  const em = deps.database.em.fork();
  em.persist(
    em.create(Person, {
      id,
      email: owner.email,
      name: owner.name,
      password_hash: await hashPassword(owner.password),
      created: now,
      updated: now,
    }),
  );
  em.persist(em.create(SitePerson, { site_id: siteId, person_id: id, role: 'owner', created: now }));
  await em.flush().catch((cause) => {
    if (!(cause instanceof UniqueConstraintViolationException)) throw cause;
    throw new ApiError('validation_failed', 'email: already in use by another owner', { cause });
  });
  return id;
}

/** Who works on a site, or on all, the first one first: somebody of several sites is listed once for each. */
export const listStaff = ({ database }: StoreDeps, siteId?: string) => {
  const staff = database.em
    .getKysely()
    .selectFrom('site_people as m')
    .innerJoin('people as p', 'p.id', 'm.person_id')
    .select(['m.site_id', 'm.role', 'p.id', 'p.email', 'p.name', 'p.password_hash', 'm.created'])
    .orderBy('m.created')
    .orderBy('p.id');
  return (siteId ? staff.where('m.site_id', '=', siteId) : staff).execute();
};

/** A password for somebody who has to type it once: 20 characters, 119 bits. */
export const newPassword = ({ randomBytes }: StoreDeps) => randomText(base62, 20, randomBytes);
