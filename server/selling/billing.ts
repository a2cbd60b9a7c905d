import { mailboxOf } from '../../shared/contract/email.ts';
import { sitePaths } from '../../shared/contract/site-paths.ts';
import { Membership, Purchase } from '../../shared/db/entities/audience.ts';
import { accountKeyOf } from '../../shared/selling/connection.ts';
import { ApiError, found } from '../api/api-error.ts';
import type { Deps } from '../api/deps.ts';
import { type ActiveConnection, callStripe, getConnection } from './sellers.ts';
import { isMissing } from './stripe-checkout.ts';

/**
 * Returns the URL at which a member manages a membership. Throws `not_found` for others' memberships, those of other providers, and a
 * customer that is gone; and as `callStripe` does.
 */
export async function openPortal(
  deps: Deps,
  site: { id: string; origin: string },
  { id, email }: { id: string; email: string },
): Promise<string> {
  const own = { site_id: site.id, mailbox: mailboxOf(email), id };
  const { provider, customer_ref, account_key } = found(
    await deps.database.em.fork().findOne(Membership, own),
  );
  if (provider === 'demo') return `${site.origin}/account/billing/demo/${id}`;
  if (provider !== 'stripe' || !customer_ref) throw new ApiError('not_found');
  const connection = await getConnection(deps, site.id);
  const { portal_ref } = connection;
  requireSameAccount(connection, account_key);
  const { url } = await callStripe(deps, connection, ({ billingPortal }) =>
    billingPortal.sessions.create({
      customer: customer_ref,
      return_url: site.origin + sitePaths.account,
      ...(portal_ref && { configuration: portal_ref }),
    }),
  ).catch(refuseMissing);
  return url;
}

/** Returns the URL of Stripe's receipt for a purchase of a member. Throws as `openPortal` does. */
export async function findReceipt(
  deps: Deps,
  siteId: string,
  { id, email }: { id: string; email: string },
): Promise<string> {
  const own = { site_id: siteId, buyer_email: email, provider: 'stripe', id };
  const { charge_ref, account_key } = found(await deps.database.em.fork().findOne(Purchase, own));
  if (!charge_ref) throw new ApiError('not_found');
  const connection = await getConnection(deps, siteId);
  requireSameAccount(connection, account_key);
  const charge = await callStripe(deps, connection, ({ charges }) => charges.retrieve(charge_ref)).catch(
    refuseMissing,
  );
  return found(charge.receipt_url);
}

/** Throws `not_found` if a sale was made with another Stripe account: the connected one does not know its objects. */
function requireSameAccount(connection: ActiveConnection, accountKey: string | null | undefined): void {
  if (accountKeyOf(connection) !== accountKey) throw new ApiError('not_found');
}

function refuseMissing(cause: unknown): never {
  throw isMissing(cause) ? new ApiError('not_found', undefined, { cause }) : cause;
}
