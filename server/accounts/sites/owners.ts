import { UniqueConstraintViolationException } from '@mikro-orm/core';
import { base62, newRecordId, randomText } from '../../../shared/contract/record-id.ts';
import { Person, SitePerson } from '../../../shared/db/entities/person.ts';
import { hashPassword } from '../../../shared/runtime/password.ts';
import { ApiError } from '../../api/api-error.ts';
import type { StoreDeps } from '../../api/deps.ts';

/** Creates an owner of a site and returns their id. Throws `validation_failed` if the email address is in use. */
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

/** Lists the people of a site, or of all sites, earliest first. A person of several sites occurs once per site. */
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

/** Creates a password for a person to type once: 20 characters, 119 bits. */
export const newPassword = ({ randomBytes }: StoreDeps) => randomText(base62, 20, randomBytes);
