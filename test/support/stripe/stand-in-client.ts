import { Stripe } from 'stripe';
import { TestClock } from '../clock.ts';
import { type StripeStandIn, startStripe } from './index.ts';

/** Returns the official client of an account at the stand-in. `timeout` is in milliseconds. */
export const clientOf = ({ url }: StripeStandIn, key: string, timeout = 10_000) =>
  new Stripe(key, {
    ...{ host: url.hostname, port: url.port, protocol: 'http', timeout },
    ...{ telemetry: false, maxNetworkRetries: 0 },
  });

/** Starts a stand-in with an account, and parameters of sessions that sell a payment or a membership. */
export async function start(options: { livemode?: boolean } = {}) {
  const clock = new TestClock();
  const standIn = await startStripe({ now: () => clock.now() });
  const account = standIn.createAccount(options);
  const stripe = clientOf(standIn, account.key);
  const product = await stripe.products.create({ name: 'The price of sleep' });
  const price = { currency: 'eur', product: product.id, tax_behavior: 'inclusive' as const };
  const shared = {
    metadata: { site: 's1', checkout: 'c1' },
    ...{ customer_email: 'grace@example.com', success_url: 'https://a.example/done' },
  };
  const payment = (values: Partial<Stripe.Checkout.SessionCreateParams> = {}) => ({
    ...{ ...shared, mode: 'payment' as const },
    line_items: [{ quantity: 1, price_data: { ...price, unit_amount: 4_900 } }],
    payment_intent_data: { metadata: { site: 's1' }, receipt_email: 'grace@example.com' },
    ...values,
  });
  const monthly = { ...price, unit_amount: 500, recurring: { interval: 'month' as const } };
  const membership = (trial?: number) => ({
    ...{ ...shared, mode: 'subscription' as const },
    line_items: [{ quantity: 1, price_data: monthly }],
    subscription_data: { metadata: { site: 's1' }, ...(trial ? { trial_period_days: trial } : {}) },
  });
  return { clock, standIn, account, stripe, payment, membership };
}

/** Returns the type, status and message of the error of a call; null without an error. */
export const errorOf = (call: Promise<unknown>) =>
  call.then(
    () => null,
    (error: Stripe.errors.StripeError) => ({
      type: error.type,
      status: error.statusCode,
      message: error.message,
    }),
  );
