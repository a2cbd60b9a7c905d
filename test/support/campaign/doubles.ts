import type { Campaign } from './campaign.ts';
import { type Arrival, isAcknowledged } from './receiver.ts';

/** A delivery that came more often than anything explains. */
interface Unexplained {
  title: string;
  status: string;
  arrivals: string[];
  attempts: number;
  manual: number;
}

/**
 * Deliveries that came more often than their log says, or again after they were acknowledged, though no attempt of theirs
 * was under way at a fault and nobody asked for it. On a busy machine a worker may stand still by itself: an attempt that
 * got no answer meanwhile is given back, so it was sent and does not count.
 */
export function unexplainedDoubles({ subscriptions, ledger, notes }: Campaign): Unexplained[] {
  const arrivals = Object.values(subscriptions).flatMap(({ receiver }) => receiver.arrivals);
  const byDelivery = Map.groupBy(arrivals, ({ delivery }) => delivery);
  const struck = new Set(notes.map(({ id }) => id));
  return ledger.flatMap(({ id, title, status, attempts, manual }) => {
    const own = byDelivery.get(id) ?? [];
    const acknowledged = own.filter(isAcknowledged).length;
    const answered = own.filter(({ answer }) => answer !== 'hang' && answer !== 'reset').length;
    const isExplained = struck.has(id) || (answered <= attempts && acknowledged <= 1 + manual);
    return isExplained ? [] : [{ title, status, arrivals: own.map(toldBy), attempts, manual }];
  });
}

const toldBy = ({ answer, atMs }: Arrival) => `${answer} at ${new Date(atMs).toISOString()}`;
