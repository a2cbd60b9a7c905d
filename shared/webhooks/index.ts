// The sender loads undici with its first delivery, so this module starts no HTTP client.
export { isPublicUnicast, parseCidr } from './addresses.ts';
export { type ConnectDeps, createConnect } from './connect.ts';
export { deliver, secretOwner } from './deliver.ts';
export { DeliveryFailure } from './delivery-failure.ts';
export { createWebhookSender, type SendResult, type WebhookSender } from './send.ts';
export { deliveryHeaders, generateWebhookSecret } from './sign.ts';
export {
  checkWebhookUrl,
  createDnsLookup,
  type Lookup,
  type TargetRule,
  webhookTargetFault,
} from './target.ts';
