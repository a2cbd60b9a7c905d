import { openedOrNull, type SecretBox } from '../runtime/secret-box.ts';
import { notSent, type SendResult, type WebhookSender } from './send.ts';
import { deliveryHeaders } from './sign.ts';

/** Attempt to deliver an event to a subscription. */
export interface Delivery {
  site_id: string;
  subscription_id: string;
  url: string;
  secret_sealed: string;
  /** Secret before the last rotation. It also signs until it expires. */
  previous_secret_sealed?: string | null | undefined;
  previous_secret_expires_at?: Date | null | undefined;
  /** ID of the delivery. */
  id: string;
  event: string;
  /** Exact text of the request body. */
  body: string;
  sentAt: Date;
}

/**
 * Decrypts the subscription's secret, signs the body and sends it. A secret that cannot be decrypted results in
 * `secret_unreadable`; most likely SECRET_KEY has changed. Rejects as `WebhookSender.send` does.
 */
export async function deliver(
  { secrets, sender }: { secrets: SecretBox; sender: WebhookSender },
  delivery: Delivery,
): Promise<SendResult> {
  const { url, id, event, sentAt } = delivery;
  const secret = openSecret(secrets, delivery, delivery.secret_sealed);
  if (secret === null) return notSent('secret_unreadable');
  const body = Buffer.from(delivery.body);
  const previousSecret = openPrevious(secrets, delivery);
  const headers = deliveryHeaders({ event, deliveryId: id, secret, previousSecret, body, sentAt });
  return sender.send({ url, headers, body });
}

/** Returns the context that the encryption of a subscription's secret is bound to. */
export const secretOwner = (siteId: string, subscriptionId: string) => `${siteId}/${subscriptionId}`;

function openPrevious(secrets: SecretBox, delivery: Delivery): string | null {
  const { previous_secret_sealed: sealed, previous_secret_expires_at: expires, sentAt } = delivery;
  if (!sealed || !expires || expires <= sentAt) return null;
  return openSecret(secrets, delivery, sealed);
}

const openSecret = (secrets: SecretBox, { site_id, subscription_id }: Delivery, sealed: string) =>
  openedOrNull(() => secrets.open(sealed, secretOwner(site_id, subscription_id)));
