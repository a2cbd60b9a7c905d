import { z } from 'zod';
import { documented, titled } from '../documented.ts';

/** Limits of webhooks from Stripe: bytes of each, number per connection in a second, and age of a signature in seconds. */
export const paymentHookLimits = { bytes: 256 * 1024, perSecond: 100, toleranceSeconds: 300 } as const;

const PaymentKey = documented(
  z
    .string()
    .max(300)
    .regex(/^(rk|sk)_(live|test)_[A-Za-z0-9_]{8,}$/, {
      error: 'must be a key of Stripe that begins with rk_live_, rk_test_, sk_live_ or sk_test_',
    }),
  'Key of your Stripe account: preferably a restricted one, which begins with `rk_`',
  'rk_test_51QxExampleExample',
);

const automaticTax = documented(z.boolean(), 'True if Stripe Tax calculates taxes', false);
const promotionCodes = documented(z.boolean(), 'True if buyers can enter promotion codes of Stripe', false);

/** Input for connecting a Stripe account. Omitted settings keep their values. */
export const ConnectPayments = z.strictObject({
  key: PaymentKey,
  automatic_tax: automaticTax.optional(),
  promotion_codes: promotionCodes.optional(),
  confirm: documented(
    z.boolean(),
    'True to replace the connected account or mode by another one, or to connect again after the service moved',
    true,
  ).optional(),
});

const reasons = ['key_refused', 'moved', 'key_unreadable'] as const;

export const PaymentState = titled('PaymentState', {
  state: documented(
    z.enum(['none', 'active', 'broken']),
    'State of the connection; `none` without one',
    'active',
  ),
  reason: documented(
    z.enum(reasons).nullable(),
    'Reason why the connection is broken: Stripe refused the key, the service moved, or the key cannot be decrypted',
    null,
  ),
  livemode: documented(z.boolean().nullable(), 'True if real money is paid, false in test mode', true),
  account_name: documented(
    z.string(),
    'Name of the account; empty if the key may not read it',
    'Ada’s studio',
  ),
  webhook: documented(
    z.boolean(),
    'True if Stripe reports sales immediately; otherwise they are polled',
    true,
  ),
  automatic_tax: automaticTax,
  promotion_codes: promotionCodes,
  warning: documented(
    z.enum(['full_access_key']).nullable(),
    '`full_access_key` if the key may do more than the service needs',
    null,
  ),
}).describe('Connection of the site to its Stripe account');

export type PaymentState = z.infer<typeof PaymentState>;

export const DisconnectedPayments = z.strictObject({
  memberships: documented(z.int(), 'Number of memberships that Stripe still charges', 12),
});
