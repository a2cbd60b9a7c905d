export type {
  ApiClient,
  InputOf,
  Mutation,
  OutputOf,
  Query,
  Subscription,
  SubscriptionCallbacks,
} from './api-client.ts';
export { type ApiError, type ApiErrorData, isApiError } from './api-error.ts';
export type { CallOptions, ClientOptions, MutationOptions, QueryOptions } from './client-options.ts';
export type {
  ErrorCode,
  FactorChallenge,
  FieldError,
  LoggedEvent,
  SiteChoice,
  WebhookEvent,
} from './contract.ts';
export { createClient } from './create-client.ts';
export { etagOf } from './etag.ts';
export { pages } from './pages.ts';
export type { Quota } from './quota.ts';
export { type SizedImage, srcsetOf } from './srcset.ts';
export { unwrapWebhook } from './unwrap-webhook.ts';
export {
  type SignedEvent,
  type VerifyOptions,
  verifyWebhook,
  WebhookError,
  type WebhookHeaders,
  type WebhookRefusal,
} from './verify-webhook.ts';
