import { UniqueConstraintViolationException } from '@mikro-orm/core';
import { base62, newRecordId, randomText } from '../../../shared/contract/record-id.ts';
import { Owner } from '../../../shared/db/entities/site.ts';
import { hashPassword } from '../../access/password.ts';
import { ApiError } from '../../kernel/api-error.ts';
import type { StoreDeps } from '../../kernel/deps.ts';

/** Makes an owner, who can log in to the site's admin panel, and gives the id. Throws `validation_failed` for an e-mail address in use. */
export async function createOwner(
  deps: StoreDeps,
  siteId: string,
  owner: { email: string; name: string; password: string },
): Promise<string> {
  const now = deps.clock.now();
  const em = deps.database.em.fork();
  const row = em.create(Owner, {
    site_id: siteId,
    id: newRecordId(now, deps.randomBytes),
    email: owner.email.toLowerCase(),
    name: owner.name,
    password_hash: await hashPassword(owner.password),
    created: now,
    updated: now,
  });
  await em
    .persist(row)
    .flush()
    .catch((cause) => {
      if (!(cause instanceof UniqueConstraintViolationException)) throw cause;
      throw new ApiError('validation_failed', 'email: already in use by another owner', { cause });
    });
  return row.id;
}

/** The owners of a site, or of all, the first one first. */
export const listOwners = ({ database }: StoreDeps, siteId?: string) =>
  database.em
    .fork()
    .find(Owner, siteId ? { site_id: siteId } : {}, { orderBy: { created: 'asc', id: 'asc' } });

/** A password for somebody who has to type it once: 20 characters, 119 bits. */
export const newPassword = ({ randomBytes }: StoreDeps) => randomText(base62, 20, randomBytes);
