import { z } from 'zod';
import { documented } from '../documented.ts';

/**
 * Missing conditions for the delivery of newsletters, the most serious first: `mail_server` (nothing is sent), `mail_kept`
 * (mail is stored on this machine), `signature` (mail is not signed), `bounce_domain` (bounces are not processed),
 * `postal_address`.
 */
export const DeliveryGap = z.enum([
  'mail_server',
  'mail_kept',
  'signature',
  'bounce_domain',
  'postal_address',
]);

export type DeliveryGap = z.infer<typeof DeliveryGap>;

/** How well newsletters of the site can arrive, as far as settings tell. */
export const MailDelivery = z.strictObject({
  missing: documented(
    z.array(DeliveryGap),
    'Missing requirements for newsletter delivery, most serious first',
    ['signature'],
  ),
});
