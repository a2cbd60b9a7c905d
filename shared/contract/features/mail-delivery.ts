import { z } from 'zod';
import { documented } from '../documented.ts';

/**
 * What lacks so that newsletters arrive, the gravest first: `mail_server` (nothing is sent), `mail_kept` (nothing leaves the machine),
 * `signature` (the service signs nothing), `bounce_domain` (nobody learns what comes back), `postal_address`.
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
  lacks: documented(z.array(DeliveryGap), 'What lacks, the gravest first', ['signature']),
});
