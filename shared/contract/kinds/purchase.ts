import { z } from 'zod';
import { hasCents, reference } from '../fields.ts';
import { keysOf } from '../names-of.ts';
import { resources } from '../resources/index.ts';
import { defineKind, emailField, requiredField } from './kind.ts';

const bought = { description: 'Collection of the purchased record', examples: ['posts' as const] };

/** What can be bought: a record of any kind of content. */
const Purchasable = z.enum(keysOf(resources)).meta(bought);

/** ISO 4217 codes. */
const currencies: ReadonlySet<string> = new Set(Intl.supportedValuesOf('currency'));

const amount = { description: 'Amount paid, in units of `currency`', examples: [49.5] };
const code = { description: 'Currency of the amount (ISO 4217)', examples: ['EUR'] };

/** What somebody bought. What `create` takes is what an owner sends to `studio.purchases.record`. */
export const purchase = defineKind({
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
        .refine(hasCents, { error: 'must have at most two decimals' })
        .meta({ ...amount, multipleOf: 0.01 }),
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
  },
  searched: 'search',
  filters: { content_type: { input: Purchasable, is: 'equal', column: 'content_type' } },
});
