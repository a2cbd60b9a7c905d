import type { z } from 'zod';
import { withUnset } from '../../../shared/contract/kinds/kind.ts';
import type { purchase } from '../../../shared/contract/kinds/purchase.ts';
import { activeSubscriber, subscriber } from '../../../shared/contract/kinds/subscriber.ts';
import { Timestamp } from '../../../shared/contract/moments.ts';
import { newRecordId } from '../../../shared/contract/record-id.ts';
import { Purchase } from '../../../shared/db/entities/audience.ts';
import { getContentEntity } from '../../../shared/db/entities/content.ts';
import { findSuppressed } from '../../../shared/newsletter/suppressions.ts';
import { ApiError } from '../../kernel/api-error.ts';
import type { Deps, StoreDeps } from '../../kernel/deps.ts';
import { inTransaction } from '../../kernel/transaction.ts';
import { recordEvent } from '../events/event-log.ts';
import { insertSubscriber } from './confirmation.ts';

/**
 * Adds an address to the newsletter. One that is on it already, or wants nothing from the site any more, changes nothing, fires
 * nothing, and is not told apart.
 */
export async function subscribe(
  deps: StoreDeps & Pick<Deps, 'secrets'>,
  siteId: string,
  input: z.infer<typeof subscriber.create>,
): Promise<void> {
  if ((await findSuppressed(deps, siteId, [input.email])).size > 0) return;
  const now = deps.clock.now();
  const added = { id: newRecordId(now, deps.randomBytes), ...withUnset(subscriber.unset, input) };
  await inTransaction(deps, siteId, async (em) => {
    const row = { ...added, ...activeSubscriber, site_id: siteId, created: now };
    if (!(await insertSubscriber(em, row))) return;
    const data = { ...added, collection: 'subscribers' as const };
    await recordEvent(em, deps, { siteId, name: 'newsletter.subscribe', data });
  });
}

/** Records a completed purchase of a record of the site. Throws `validation_failed` when there is no such record. */
export async function recordPurchase(
  deps: StoreDeps,
  siteId: string,
  input: z.infer<typeof purchase.create>,
) {
  const created = new Timestamp(deps.clock.now());
  const recorded = { id: newRecordId(created, deps.randomBytes), ...input };
  await inTransaction(deps, siteId, async (em) => {
    const { content_type, content_id } = input;
    const bought = await em.count(getContentEntity(content_type), { site_id: siteId, id: content_id });
    if (bought === 0) throw new ApiError('validation_failed', 'content_id: no such record');
    await em.persist(em.create(Purchase, { ...recorded, site_id: siteId, created })).flush();
    await recordEvent(em, deps, {
      siteId,
      name: 'purchase.completed',
      data: { ...recorded, collection: 'purchases' },
    });
  });
  return { id: recorded.id, created };
}
