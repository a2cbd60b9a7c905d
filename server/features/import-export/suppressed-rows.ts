import { findSuppressed } from '../../../shared/newsletter/suppressions.ts';
import { type Pending, report } from './skip-rows.ts';
import type { Destination } from './target.ts';

/** Who would get mail. */
const wantsMail = ({ row }: Pending) => row.status === 'active' || row.status === 'pending';

/** Leaves out subscribers who have unsubscribed from the site's newsletter, or complained of it: no list brings them back. */
export async function withoutSuppressed(into: Destination, pending: Pending[]): Promise<Pending[]> {
  const { target, carried } = into;
  if (carried.table !== 'subscribers' || pending.length === 0) return pending;
  const emails = pending.map(({ row }) => String(row.email));
  const suppressed = await findSuppressed(target.deps, target.siteId, emails);
  return pending.filter((one) => {
    const staysAway = wantsMail(one) && suppressed.has(String(one.row.email));
    if (staysAway)
      report(into, one.candidate, { outcome: 'skipped', notes: ['wants no more mail from this site'] });
    return !staysAway;
  });
}
