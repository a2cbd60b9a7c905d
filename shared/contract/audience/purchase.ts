import { z } from 'zod';
import { amountProblem, currencies } from '../currencies.ts';
import { documented } from '../documented.ts';
import { updated } from '../envelopes.ts';
import { dateTime, Email, type Field, reference } from '../fields.ts';
import { keysOf } from '../names-of.ts';
import { RecordId } from '../record-id.ts';
import { resources } from '../resources/index.ts';
import { defineAudienceTable, emailField, requiredField } from './audience-table.ts';
import { ExternalId, externalId, livemode, offerId, Provider, provider, salesQuery } from './sale.ts';

const bought = { description: 'Collection of the purchased record', examples: ['posts' as const] };

/** Collection of a bought record. */
const Purchasable = z.enum(keysOf(resources)).meta(bought);

const amount = { description: 'Amount paid, in units of `currency`', examples: [49.5] };
const code = { description: 'Currency of the amount (ISO 4217)', examples: ['EUR'] };
const refunded = documented(z.number().min(0), 'Amount refunded, in units of `currency`', 0);

const disputes = ['none', 'open', 'won', 'lost'] as const;

const Dispute = documented(z.enum(disputes), 'Dispute of the payment', 'none' as const);

const notOnCreate = [
  'refunded_amount',
  'dispute',
  'revoked_at',
  'provider',
  'external_id',
  'offer_id',
  'livemode',
] as const;

const purchaseStates = ['paid', 'refunded', 'disputed', 'revoked'] as const;

type PurchaseState = (typeof purchaseStates)[number];

const PurchaseState = documented(
  z.enum(purchaseStates),
  'State of the purchase; only `paid` purchases open their record',
  'paid',
);

/** Columns that determine the state of a purchase. */
export interface StateColumns {
  amount: number;
  refunded_amount: number;
  dispute: (typeof disputes)[number];
  revoked_at: Date | null;
}

/** Returns the state of a purchase. The column `state` computes the same (migration 0042). */
export function purchaseStateOf({
  amount,
  refunded_amount,
  dispute,
  revoked_at,
}: StateColumns): PurchaseState {
  if (revoked_at !== null || dispute === 'lost') return 'revoked';
  if (dispute === 'open') return 'disputed';
  return amount > 0 && refunded_amount >= amount ? 'refunded' : 'paid';
}

const declared = defineAudienceTable({
  collection: 'purchases',
  fields: {
    buyer_email: emailField('Email address of the buyer'),
    content_type: requiredField('choice', Purchasable, z.string().meta(bought)),
    content_id: reference('purchased record'),
    amount: {
      kind: 'money',
      input: z
        .number()
        .min(0)
        .meta({ ...amount, multipleOf: 0.001 }),
      output: z.number().meta(amount),
      column: 'numeric',
      unset: 0,
      required: true,
    },
    currency: requiredField(
      'text',
      z
        .string()
        .regex(/^[A-Z]{3}$/, { error: 'must be a currency code of three capital letters, such as EUR' })
        .refine((currency) => currencies.has(currency), { error: 'must be an ISO 4217 code' })
        .meta(code),
      z.string().meta(code),
    ),
    refunded_amount: {
      kind: 'money',
      input: refunded,
      output: refunded,
      column: 'numeric',
      unset: 0,
      required: false,
    } as Field<number, number, false>,
    dispute: {
      kind: 'choice',
      input: Dispute,
      output: Dispute,
      column: 'text',
      unset: 'none',
      required: false,
    } as Field<z.infer<typeof Dispute>, z.infer<typeof Dispute>, false>,
    revoked_at: dateTime('Time at which access was taken back; null if it was not'),
    provider,
    external_id: externalId,
    offer_id: offerId,
    livemode,
  },
  later: notOnCreate,
  searched: 'search',
  filters: {
    content_type: { input: Purchasable, is: 'equal', column: 'content_type' },
    state: { input: PurchaseState, is: 'equal', column: 'state' },
    buyer_email: { input: Email, is: 'key', column: 'buyer_email' },
  },
});

/** Refuses an amount with more decimals than its currency has. */
const checkAmount = ({ value, issues }: z.core.ParsePayload<{ amount: number; currency: string }>) => {
  const message = amountProblem(value.amount, value.currency);
  if (message) issues.push({ code: 'custom', path: ['amount'], message, input: value.amount });
};

/** Purchase of a record. `create` is the input of `studio.purchases.record`. */
export const purchase = {
  ...declared,
  read: declared.read.extend({ state: PurchaseState, updated }).meta({ title: 'Purchase' }),
  create: declared.create.check(checkAmount),
};

export const ListPurchases = salesQuery({
  state: PurchaseState.optional(),
  buyer_email: Email.optional(),
});

/** Input for reporting a sale that another payment provider made. */
export const RecordPurchase = declared.create
  .extend({
    provider: Provider,
    external_id: ExternalId,
    notify: documented(
      z.boolean().default(false),
      'True to email the buyer and the owners about the sale; only the first report of a sale does',
      true,
    ),
  })
  .check(checkAmount);

export const UpdatePurchase = z.strictObject({
  id: RecordId,
  state: PurchaseState.optional(),
  refunded_amount: refunded.optional(),
});

export const CorrectPurchase = z.strictObject({
  id: RecordId,
  buyer_email: Email.optional(),
  state: PurchaseState.extract(['paid', 'revoked']).optional(),
});
