export type { ApiClient, CallOptions, InputOf, Mutation, OutputOf, Query } from './api-client.ts';
export { type ApiError, type ApiErrorData, isApiError } from './api-error.ts';
export type { ClientOptions } from './client-options.ts';
export type { ErrorCode, LoggedEvent, WebhookEvent } from './contract.ts';
export { createClient } from './create-client.ts';
export { pages } from './pages.ts';
export { type VerifyOptions, verifyWebhook, type WebhookHeaders } from './verify-webhook.ts';
export { WebhookError, type WebhookRefusal } from './webhook-error.ts';
