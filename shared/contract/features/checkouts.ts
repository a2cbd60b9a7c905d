import { z } from 'zod';
import { documented, titled } from '../documented.ts';
import { Email } from '../fields.ts';
import { RecordId } from '../record-id.ts';
import { timestamp } from '../timestamps.ts';

export const checkoutStates = ['opening', 'open', 'paying', 'paid', 'failed', 'expired'] as const;

const pageUrl = (description: string, example: string) =>
  documented(
    z.url().max(2_000),
    `${description}: a page of the site, or of an allowed origin of the key`,
    example,
  );

export const CreateCheckout = z.strictObject({
  offer_id: RecordId.describe('ID of the offer'),
  email: Email.describe('Email address that the sale belongs to, whatever address the buyer enters to pay'),
  success_url: pageUrl('URL to return to after the payment', 'https://ada.example.com/thanks'),
  cancel_url: pageUrl('URL to return to without a payment', 'https://ada.example.com/courses'),
});

export const Checkout = titled('Checkout', {
  id: RecordId,
  url: documented(
    z.string().nullable(),
    'URL of the payment page, to which you redirect the buyer; null if it is not open',
    'https://checkout.stripe.com/c/pay/cs_live_a1',
  ),
  state: documented(
    z.enum(checkoutStates),
    'State of the checkout: `paying` is complete, but the bank has not confirmed the payment',
    'open',
  ),
  expires_at: timestamp('Time at which the payment page expires'),
}).describe('Attempt of a buyer to pay for an offer');
