import { type RawBuilder, sql } from 'kysely';
import { isStray } from '../../shared/db/leases.ts';
import { leaseSeconds } from './claim.ts';

export const isStrayLease = isStray(sql`r.lease_until`, leaseSeconds * 1_000);

/** SQL: the mailings of all sites for which there is something to do, those to prepare and those to send. Unfinished ones are few. */
export const dueMailings: RawBuilder<unknown> = sql`
  select site_id, id as mailing_id, status in ('scheduled', 'preparing') as is_to_prepare from mailings m
  where (status in ('scheduled', 'preparing', 'sending') or sending > 0)
    and case when status in ('scheduled', 'preparing') then send_at <= now() else exists (
      select from mailing_recipients r where r.site_id = m.site_id and r.mailing_id = m.id and r.due_at <= now()
        and (m.status = 'sending' or r.state = 'sending')
    ) or (sending > 0 and exists (
      select from mailing_recipients r where r.site_id = m.site_id and r.mailing_id = m.id and r.state = 'sending'
        and ${isStrayLease}
    )) end
  order by send_at`;
