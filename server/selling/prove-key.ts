import type { Stripe } from 'stripe';
import { minAmounts, toMinorUnits } from '../../shared/contract/currencies.ts';
import { stripeFailure } from '../../shared/selling/stripe.ts';
import { ApiError } from '../api/api-error.ts';
import { providerError } from './provider-error.ts';

/**
 * Price of the test product in a currency that is missing in `minAmounts`. Stripe refuses prices that are worth less
 * than half a dollar, such as 1 KRW.
 */
const acceptedAmount = 99_999;

/**
 * Proves that a key has the permissions that selling needs: it reads each kind of object, creates a product and a session, which
 * it withdraws immediately, and creates the configuration of the customer portal, or updates the known one. The account's id is null, and
 * its name empty, if the key may not read them. Throws as `failAtKey` does.
 */
export async function proveKey(
  stripe: Stripe,
  { portal, currency, returnUrl }: { portal: string | null; currency: string; returnUrl: string },
) {
  try {
    const one = { limit: 1 };
    await stripe.events.list(one);
    await stripe.subscriptions.list(one);
    await stripe.paymentIntents.list(one);
    await stripe.charges.list(one);
    await stripe.refunds.list(one);
    await stripe.disputes.list(one);
    await stripe.invoices.list(one);
    const product = await stripe.products.create({ name: 'Test of the connection' });
    const unit_amount = toMinorUnits(minAmounts[currency] ?? acceptedAmount, currency);
    const session = await stripe.checkout.sessions.create({
      ...{ mode: 'payment', success_url: returnUrl },
      line_items: [
        { quantity: 1, price_data: { currency: currency.toLowerCase(), unit_amount, product: product.id } },
      ],
    });
    await stripe.checkout.sessions.expire(session.id);
    await stripe.products.update(product.id, { active: false });
    const { id: portal_ref } = portal
      ? await stripe.billingPortal.configurations.update(portal, portalOptions)
      : await stripe.billingPortal.configurations.create(portalOptions);
    return { portal_ref, ...(await readAccount(stripe)) };
  } catch (error) {
    return failAtKey(error);
  }
}

/** Members may cancel at the end of a period, change their payment method and read invoices. */
const portalOptions = {
  features: {
    subscription_cancel: { enabled: true, mode: 'at_period_end' },
    payment_method_update: { enabled: true },
    invoice_history: { enabled: true },
    customer_update: { enabled: false },
    subscription_update: { enabled: false },
  },
} as const satisfies Stripe.BillingPortal.ConfigurationCreateParams;

async function readAccount(stripe: Stripe) {
  try {
    const { id, settings, business_profile } = await stripe.accounts.retrieveCurrent();
    return { account_id: id, account_name: settings?.dashboard.display_name ?? business_profile?.name ?? '' };
  } catch (error) {
    // Few restricted keys may read their account.
    if (stripeFailure(error).kind === 'unavailable') throw error;
    return { account_id: null, account_name: '' };
  }
}

/** Returns true if the key's account has this configuration of the customer portal. Throws as `failAtKey` does. */
export async function hasPortal(stripe: Stripe, portal: string | null): Promise<boolean> {
  if (portal === null) return false;
  try {
    await stripe.billingPortal.configurations.retrieve(portal);
    return true;
  } catch (error) {
    const failure = stripeFailure(error);
    if (failure.kind === 'refused' && failure.code === 'resource_missing') return false;
    return failAtKey(error);
  }
}

/**
 * Throws the error of a call with a key that is being connected: `validation_failed` if Stripe refuses the key, otherwise
 * `provider_unavailable` or `provider_refused`.
 */
function failAtKey(error: unknown): never {
  const failure = stripeFailure(error);
  if (failure.kind === 'unauthorized') throw new ApiError('validation_failed', `key: ${failure.message}`);
  throw providerError(failure);
}
