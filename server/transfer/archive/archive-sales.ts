import { z } from 'zod';
import { membership } from '../../../shared/contract/audience/membership.ts';
import { purchase } from '../../../shared/contract/audience/purchase.ts';
import { Offer } from '../../../shared/contract/features/offers.ts';
import { boundedText } from '../../../shared/contract/fields.ts';
import { keysOf } from '../../../shared/contract/names-of.ts';
import {
  bookkeeping,
  type Columns,
  createdAt,
  type DeclaredTable,
  fieldColumns,
  id,
  newer,
  timestamp,
  timestampOrNull,
  value,
} from './archive-columns.ts';

/**
 * Columns of purchases. Older archives lack the fields of the state. The values for them are those of a purchase that
 * was recorded by hand and paid.
 */
const purchaseColumns: Columns = Object.fromEntries(
  Object.entries(fieldColumns(purchase.fields)).map(([name, column]) => {
    const later = purchase.later.find((each) => each === name);
    return [name, later ? newer(column, purchase.fields[later].unset) : column];
  }),
);

const { id: _, created: __, updated: ___, ...ofOffer } = Offer.shape;

/** Purchases, memberships and offers. */
export const sales: DeclaredTable[] = [
  {
    table: 'purchases',
    columns: {
      ...id,
      ...purchaseColumns,
      charge_ref: newer(value(boundedText(200).nullable()), null),
      ...createdAt,
      // Older archives lack it. `giveUpdated` sets it to the time of the purchase.
      updated: newer(timestampOrNull, null),
    },
    once: ['provider', 'external_id'],
    label: 'buyer_email',
  },
  {
    table: 'memberships',
    columns: {
      ...id,
      ...fieldColumns(membership.fields),
      open_until: timestamp,
      as_of: timestamp,
      customer_ref: value(boundedText(200).nullable()),
      trial_used: value(z.boolean()),
      ...bookkeeping,
    },
    once: ['provider', 'external_id'],
    label: 'email',
  },
  {
    table: 'offers',
    columns: {
      ...id,
      ...Object.fromEntries(keysOf(ofOffer).map((name) => [name, value(ofOffer[name])])),
      ...bookkeeping,
    },
    label: 'title',
  },
];
