import type { Command } from 'commander';
import type { Stripe } from 'stripe';
import { z } from 'zod';
import { describeSettings } from '../../shared/runtime/settings/read-settings.ts';
import { stripeClient, stripeFailure, stripeTimeouts } from '../../shared/selling/stripe.ts';
import { eventTypes } from '../../shared/selling/webhook-endpoint.ts';
import { paymentCheckSettings } from '../start/env.ts';
import { PaymentCheckSettings } from '../start/settings.ts';

/** Adds `pnpm ops payments`, which needs no database. */
export function addPayments(program: Command) {
  program
    .command('payments')
    .description('checks of the payment provider')
    .command('check')
    .description(
      "compare the objects of Stripe's API with what the service reads, using a test key; creates one checkout session and expires it",
    )
    .addHelpText(
      'after',
      `\nSettings are environment variables:\n\n${describeSettings(PaymentCheckSettings)}`,
    )
    .action(async () => {
      const { STRIPE_TEST_KEY: key, STRIPE_API_BASE: apiBase } = paymentCheckSettings();
      const stripe = await stripeClient(key, { apiBase, timeoutMs: stripeTimeouts.worker });
      let different = 0;
      for (const { name, shape, read } of checks) {
        const { is, problems } = await check(read(stripe), shape);
        if (is === 'differs') different += 1;
        console.log([`${name.padEnd(21)}  ${is}`, ...problems.map((text) => `  ${text}`)].join('\n'));
      }
      if (different > 0) throw new Error(`\n${different} of ${checks.length} checks failed.`);
    });
}

interface Check {
  name: string;
  shape: z.ZodType;
  /** Reads objects of the Stripe account; empty if it has none. */
  read(stripe: Stripe): Promise<unknown[]>;
}

/** Compares objects with a shape. `none`: the account has no such object. */
async function check(
  read: Promise<unknown[]>,
  shape: z.ZodType,
): Promise<{ is: 'ok' | 'none' | 'differs'; problems: string[] }> {
  try {
    const objects = await read;
    const problems = objects.flatMap((object) => problemsOf(shape.safeParse(object).error));
    return { is: problems.length > 0 ? 'differs' : objects.length > 0 ? 'ok' : 'none', problems };
  } catch (error) {
    return { is: 'differs', problems: [stripeFailure(error).message] };
  }
}

const problemsOf = (error: z.ZodError | undefined) =>
  error?.issues.map(({ path, message }) => `${path.join('.')}: ${message}`) ?? [];

/** Fields of an object of Stripe that the service reads. */
type FieldsOf<Object> = { [Name in keyof Object]?: z.ZodType };

const id = z.string().min(1);
const seconds = z.int();
const amount = z.int();
const currency = z.string().regex(/^[a-z]{3}$/);
const metadata = z.record(z.string(), z.string());
const reference = z.union([id, z.object({ id })]);

const session = (status: 'open' | 'expired') =>
  z.object({
    ...{ id, livemode: z.literal(false), created: seconds, expires_at: seconds, status: z.literal(status) },
    ...{ mode: z.literal('payment'), payment_status: z.literal('unpaid'), metadata },
    ...{ amount_total: z.literal(100), currency: z.literal('eur'), customer_email: z.literal(buyer) },
    ...{ payment_intent: reference.nullable(), subscription: reference.nullable() },
    url: status === 'open' ? z.url() : z.string().nullable(),
  } satisfies FieldsOf<Stripe.Checkout.Session>);

const subscription = z.object({
  ...{ id, livemode: z.literal(false), metadata, currency, customer: reference },
  status: z.enum([
    ...(['incomplete', 'incomplete_expired', 'trialing', 'active', 'past_due'] as const),
    ...(['canceled', 'unpaid', 'paused'] as const),
  ]),
  ...{ cancel_at: seconds.nullable(), cancel_at_period_end: z.boolean() },
  ...{ trial_start: seconds.nullable(), ended_at: seconds.nullable() },
  items: z.object({
    data: z
      .array(
        z.object({
          ...{ current_period_start: seconds, current_period_end: seconds },
          price: z.object({
            unit_amount: amount.nullable(),
            recurring: z.object({ interval: z.string() }).nullable(),
          } satisfies FieldsOf<Stripe.Price>),
        } satisfies FieldsOf<Stripe.SubscriptionItem>),
      )
      .min(1),
  }),
  latest_invoice: z
    .object({ id, status: z.string().nullable() } satisfies FieldsOf<Stripe.Invoice>)
    .nullable(),
} satisfies FieldsOf<Stripe.Subscription>);

const one = { limit: 1 } as const;

const buyer = 'check@example.com';

async function openAndExpire({ checkout: { sessions } }: Stripe) {
  const price_data = { currency: 'eur', unit_amount: 100, product_data: { name: 'Test of the API' } };
  const created = await sessions.create({
    ...{ mode: 'payment', customer_email: buyer, success_url: 'https://example.com/' },
    line_items: [{ quantity: 1, price_data }],
  });
  return { created, expired: await sessions.expire(created.id) };
}

/** Objects that the service reads, with the parameters that it sends. */
const checks: readonly Check[] = [
  {
    name: 'checkout session',
    shape: z.object({ created: session('open'), expired: session('expired') }),
    read: async (stripe) => [await openAndExpire(stripe)],
  },
  {
    name: 'account',
    shape: z.object({
      id,
      settings: z.object({ dashboard: z.object({ display_name: z.string().nullable() }) }).nullable(),
    } satisfies FieldsOf<Stripe.Account>),
    read: async ({ accounts }) => [await accounts.retrieveCurrent()],
  },
  {
    name: 'event',
    shape: z.object({
      ...{ id, created: seconds, type: z.enum(eventTypes) },
      data: z.object({ object: z.object({ id, object: z.string() }) }),
    } satisfies FieldsOf<Stripe.Event>),
    read: async ({ events }) => (await events.list({ ...one, types: [...eventTypes] })).data,
  },
  {
    name: 'subscription',
    shape: subscription,
    read: async ({ subscriptions }) =>
      (await subscriptions.list({ ...one, status: 'all', expand: ['data.latest_invoice'] })).data,
  },
  {
    name: 'payment intent',
    shape: z.object({
      id,
      status: z.string(),
      latest_charge: reference.nullable(),
    } satisfies FieldsOf<Stripe.PaymentIntent>),
    read: async ({ paymentIntents }) => (await paymentIntents.list(one)).data,
  },
  {
    name: 'charge',
    shape: z.object({
      ...{ id, amount, amount_refunded: amount, currency, disputed: z.boolean(), metadata },
      ...{ payment_intent: reference.nullable(), receipt_url: z.string().nullable() },
    } satisfies FieldsOf<Stripe.Charge>),
    read: async ({ charges }) => (await charges.list(one)).data,
  },
  {
    name: 'refund',
    shape: z.object({ id, charge: reference.nullable() } satisfies FieldsOf<Stripe.Refund>),
    read: async ({ refunds }) => (await refunds.list(one)).data,
  },
  {
    name: 'dispute',
    shape: z.object({ id, charge: reference, status: z.string() } satisfies FieldsOf<Stripe.Dispute>),
    read: async ({ disputes }) => (await disputes.list(one)).data,
  },
  {
    name: 'invoice',
    shape: z.object({
      ...{ id, status: z.string().nullable() },
      parent: z
        .object({ subscription_details: z.object({ subscription: reference, metadata }).nullable() })
        .nullable(),
    } satisfies FieldsOf<Stripe.Invoice>),
    read: async ({ invoices }) => (await invoices.list(one)).data,
  },
  {
    name: 'invoice payment',
    shape: z.object({
      invoice: reference,
      payment: z.object({ payment_intent: reference.optional() }),
    } satisfies FieldsOf<Stripe.InvoicePayment>),
    read: async ({ invoices, invoicePayments }) => {
      const [paid] = (await invoices.list({ ...one, status: 'paid' })).data;
      return paid?.id ? (await invoicePayments.list({ ...one, invoice: paid.id })).data : [];
    },
  },
  {
    name: 'portal configuration',
    shape: z.object({ id, active: z.boolean() } satisfies FieldsOf<Stripe.BillingPortal.Configuration>),
    read: async ({ billingPortal }) => (await billingPortal.configurations.list(one)).data,
  },
  {
    name: 'webhook endpoint',
    shape: z.object({
      id,
      url: z.string(),
      status: z.enum(['enabled', 'disabled']),
    } satisfies FieldsOf<Stripe.WebhookEndpoint>),
    read: async ({ webhookEndpoints }) => (await webhookEndpoints.list(one)).data,
  },
];
