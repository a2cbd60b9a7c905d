import type { z } from 'zod';
import { recordEvent } from '../../../shared/content/write.ts';
import { withUnset } from '../../../shared/contract/audience/audience-table.ts';
import { activeSubscriber, subscriber } from '../../../shared/contract/audience/subscriber.ts';
import { newRecordId } from '../../../shared/contract/record-id.ts';
import { findSuppressed } from '../../../shared/newsletter/suppressions.ts';
import type { Deps, StoreDeps } from '../../api/deps.ts';
import { inTransaction } from '../../api/transaction.ts';
import { insertSubscriber } from './confirmation.ts';

/**
 * Adds an address to the newsletter, with the event. An address that is on it already, or is suppressed, changes
 * nothing and records no event. Callers cannot distinguish these cases.
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
