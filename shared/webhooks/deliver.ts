import { SealedSecretError, type SecretBox } from './secret-box.ts';
import { notSent, type SendResult, type WebhookSender } from './send.ts';
import { deliveryHeaders } from './sign.ts';

/** One attempt: an event for a subscription, whose secret signs it. */
export interface Delivery {
  site_id: string;
  subscription_id: string;
  url: string;
  secret_sealed: string;
  /** The delivery's id. */
  id: string;
  event: string;
  /** Exactly what is sent. */
  body: string;
  sentAt: Date;
}

/**
 * Opens the subscription's secret, signs and sends. A secret that doesn't open is told as `secret_unreadable`: most
 * likely SECRET_KEY has changed, which an operator can mend. Rejects as `WebhookSender.send` does.
 */
export async function deliver(
  { secrets, sender }: { secrets: SecretBox; sender: WebhookSender },
  delivery: Delivery,
): Promise<SendResult> {
  const { url, id, event, sentAt } = delivery;
  const secret = openSecret(secrets, delivery);
  if (secret === null) return notSent('secret_unreadable');
  const body = Buffer.from(delivery.body);
  const headers = deliveryHeaders({ event, deliveryId: id, secret, body, sentAt });
  return sender.send({ url, headers, body });
}

/** Whom a subscription's secret is sealed for. */
export const secretOwner = (siteId: string, subscriptionId: string) => `${siteId}/${subscriptionId}`;

function openSecret(
  secrets: SecretBox,
  { site_id, subscription_id, secret_sealed }: Delivery,
): string | null {
  try {
    return secrets.open(secret_sealed, secretOwner(site_id, subscription_id));
  } catch (error) {
    if (error instanceof SealedSecretError) return null;
    throw error;
  }
}
