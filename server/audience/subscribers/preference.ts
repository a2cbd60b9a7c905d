import { SubscriberEntity } from '../../../shared/db/entities/audience.ts';
import { Suppression } from '../../../shared/db/entities/mailings.ts';
import { getMailKey, suppressionHash } from '../../../shared/newsletter/mail-key.ts';
import { findSuppressed, suppress } from '../../../shared/newsletter/suppressions.ts';
import { ApiError } from '../../api/api-error.ts';
import type { Deps } from '../../api/deps.ts';
import { inTransaction } from '../../api/transaction.ts';
import { activate, lockSubscriber } from './confirmation.ts';

/**
 * Returns whether a member receives the newsletter, and whether they complained. Both are false for an unknown
 * address.
 */
export async function findPreference(deps: Deps, siteId: string, email: string) {
  const subscribers = deps.database.em.getKysely().selectFrom('subscribers').select('status');
  const row = await subscribers.where('site_id', '=', siteId).where('email', '=', email).executeTakeFirst();
  const reason = (await findSuppressed(deps, siteId, [email])).get(email);
  return {
    receives: row?.status === 'active' && reason === undefined,
    complained: [row?.status, reason].includes('complained'),
  };
}

/**
 * Subscribes a member without confirmation, because signing in has proven that the address is theirs. An earlier
 * unsubscription is lifted. Throws `suppressed` after a complaint. A second call has no effect.
 */
export async function subscribeMember(deps: Deps, site_id: string, email: string): Promise<void> {
  const now = deps.clock.now();
  await inTransaction(deps, site_id, async (em) => {
    const wanted = { site_id, email, name: '', source: 'account', created: now };
    const { row } = await lockSubscriber(em, deps, wanted);
    const known = { site_id, email_hash: suppressionHash(await getMailKey(deps, site_id), email) };
    const suppression = await em.findOne(Suppression, known);
    if ([row.status, suppression?.reason].includes('complained')) throw new ApiError('suppressed');
    if (row.status === 'active' && !suppression) return;
    if (suppression) await em.nativeDelete(Suppression, known);
    await activate(em, deps, { row, confirmed_at: now });
  });
}

/** Unsubscribes a member. A second call has no effect. */
export async function unsubscribeMember(deps: Deps, site_id: string, email: string): Promise<void> {
  const now = deps.clock.now();
  const email_hash = suppressionHash(await getMailKey(deps, site_id), email);
  await inTransaction(deps, site_id, async (em) => {
    const left = await em.nativeUpdate(
      SubscriberEntity,
      { site_id, email, status: { $in: ['pending', 'active'] } },
      { status: 'unsubscribed', ended_at: now },
    );
    if (left > 0)
      await suppress(em.getKysely(), site_id, [{ email_hash, reason: 'unsubscribed', created: now }]);
  });
}
