import { z } from 'zod';
import { amountProblem } from '../currencies.ts';
import { documented } from '../documented.ts';
import { updated } from '../envelopes.ts';
import { dateTime, Email, optional, reference } from '../fields.ts';
import { keysOf } from '../names-of.ts';
import { RecordId } from '../record-id.ts';
import { resources } from '../resources/index.ts';
import { defineAudienceTable, emailField, requiredField } from './audience-table.ts';
import {
  CurrencyCode,
  ExternalId,
  externalId,
  livemode,
  offerId,
  Provider,
  provider,
  salesQuery,
} from './sale.ts';

const bought = { description: 'Collection of the purchased record', examples: ['posts' as const] };

/** Collection of a bought record. */
const Purchasable = z.enum(keysOf(resources)).meta(bought);

const amount = { description: 'Amount paid, in units of `currency`', examples: [49.5] };
const AmountInput = z
  .number()
  .min(0)
  .meta({ ...amount, multipleOf: 0.001 });
const code = { description: 'Currency of the amount (ISO 4217)', examples: ['EUR'] };
const refunded = documented(z.number().min(0), 'Amount refunded, in units of `currency`', 0);

const Dispute = documented(z.enum(['none', 'open', 'won', 'lost']), 'Dispute of the payment', 'none');

type Dispute = z.infer<typeof Dispute>;

const notOnCreate = [
  'refunded_amount',
  'dispute',
  'revoked_at',
  'provider',
  'external_id',
  'offer_id',
  'livemode',
] as const;

const PurchaseState = documented(
  z.enum(['paid', 'refunded', 'disputed', 'revoked']),
  'State of the purchase; only `paid` purchases open their record',
  'paid',
);

type PurchaseState = z.infer<typeof PurchaseState>;

/** Columns that determine the state of a purchase. */
export interface StateColumns {
  amount: number;
  refunded_amount: number;
  dispute: Dispute;
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
      ...optional('money', AmountInput, z.number().meta(amount), 'numeric', 0),
      required: true as const,
    },
    currency: requiredField('text', CurrencyCode.meta(code), z.string().meta(code)),
    refunded_amount: optional('money', refunded, refunded, 'numeric', 0),
    dispute: optional<'choice', Dispute, Dispute>('choice', Dispute, Dispute, 'text', 'none'),
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
