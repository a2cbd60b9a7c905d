import type { Campaign } from './campaign.ts';
import { type Arrival, isAcknowledged } from './receiver.ts';

/** Delivery that arrived more often than its log explains. */
interface Unexplained {
  title: string;
  status: string;
  arrivals: string[];
  attempts: number;
  manual: number;
}

/**
 * Finds deliveries that arrived more often than their log explains, or again after an acknowledgement. Deliveries with
 * an attempt in progress during a fault are exempt, and so are manual attempts.
 *
 * On a busy machine a worker may stall by itself. It returns an attempt that got no answer in that time. That attempt
 * was sent but is not logged, so such arrivals do not count.
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
