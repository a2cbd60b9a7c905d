import { z } from 'zod';
import { documented, titled } from '../documented.ts';
import { created, updated } from '../envelopes.ts';
import { EventName, EventPattern, eventNames } from '../events.ts';
import { boundedText } from '../fields.ts';
import { paging, retryDelaysSeconds } from '../limits.ts';
import { listParameter } from '../list-parameter.ts';
import { pageQuery, wholeNumber } from '../pagination.ts';
import { RecordId } from '../record-id.ts';
import { eventfulCollections } from '../resources/index.ts';
import { DateTime, timestamp, toDate } from '../timestamps.ts';

/** Limits of webhook subscriptions and their deliveries. */
export const webhookLimits = {
  /** Maximum number of scheduled attempts per delivery. */
  attempts: retryDelaysSeconds.length + 1,
  /** Number of failed attempts in a row that turns a subscription off. */
  failuresToDisable: 10,
  /** Number of failed attempts in a row after which the owner gets an email. */
  failuresToNotify: 5,
  /** Maximum number of subscriptions of a site. */
  subscriptionsPerSite: 100,
  /** Length of a secret that the caller chooses, in UTF-16 units. */
  secretLength: { min: 16, max: 256 },
  /** Maximum number of events of a replay. */
  eventsPerReplay: 10_000,
} as const;

/** Reason why an attempt failed. Null in a delivery whose last attempt was acknowledged. */
export const DeliveryError = z
  .enum([
    'timeout',
    'dns_failure',
    'forbidden_address',
    'connection_failed',
    'tls_error',
    'redirect',
    'http_status',
    'response_too_large',
    'secret_unreadable',
  ])
  .describe('Reason why the last attempt failed; null if it did not');
export type DeliveryError = z.infer<typeof DeliveryError>;

/**
 * Status of a delivery. `pending`: no attempt has ended, or an attempt was requested manually. `failed`: no attempts
 * are left. `cancelled`: the subscription was disabled or deleted before an acknowledgement.
 */
export const DeliveryStatus = z
  .enum(['pending', 'delivered', 'retrying', 'failed', 'cancelled'])
  .describe('Status of the delivery');
export type DeliveryStatus = z.infer<typeof DeliveryStatus>;

const url = documented(
  boundedText(2_000),
  'HTTPS URL that receives deliveries; must resolve to a public address',
  'https://hooks.example.com/creator',
);
const secret = boundedText(webhookLimits.secretLength.max)
  // Zod counts code points, some of which have two UTF-16 units.
  .refine((text) => text.length >= webhookLimits.secretLength.min, {
    error: `must have at least ${webhookLimits.secretLength.min} characters, counted in UTF-16 units`,
  })
  // No example: tools and assistants would register it as the secret, and every reader of the documentation could forge
  // signatures.
  .meta({
    description: 'Signing secret; generated if omitted',
    minLength: Math.ceil(webhookLimits.secretLength.min / 2),
  });
const concreteEvents = documented(z.array(EventName).min(1).max(50), 'Event names', ['content.published']);
const active = documented(
  z.boolean(),
  'True if deliveries are sent; false if the subscription is disabled',
  true,
);

/** Restriction of `content.*` events to collections. It does not affect other events. */
export const Collections = documented(
  z.array(z.enum(eventfulCollections)).min(1).max(50),
  'Collections whose `content.*` events are delivered; all if omitted',
  ['posts'],
);

/** Input for subscribing with an API key: `events` contains names and wildcards. */
export const RegisterWebhook = titled('RegisterWebhook', {
  url,
  events: documented(z.array(EventPattern).min(1).max(50), 'Event names and wildcards', ['content.*']),
  collections: Collections.nullable().optional(),
  secret: secret.nullable().optional(),
});

/** Input for subscribing in the studio: `events` contains names only. */
export const CreateWebhook = RegisterWebhook.extend({ events: concreteEvents }).meta({
  title: 'CreateWebhook',
});

export const UpdateWebhook = titled('UpdateWebhook', {
  id: RecordId,
  url: url.optional(),
  events: concreteEvents.optional(),
  collections: Collections.nullable().optional(),
  active: active.optional(),
});

const shown = {
  id: RecordId,
  url,
  events: documented(z.array(EventPattern), 'Subscribed event names and wildcards', ['content.published']),
  /** Absent if the subscription is not restricted to collections. */
  collections: Collections.optional(),
  active,
};

/** New subscription. Its secret is returned only here. */
export const CreatedWebhook = titled('CreatedWebhook', {
  ...shown,
  secret: z.string().describe('Signing secret; returned only in this response'),
  created,
});

export const Webhook = titled('Webhook', {
  ...shown,
  consecutive_failures: documented(z.int(), 'Number of failed attempts since the last acknowledged one', 0),
  created,
  updated,
});

export type TestEventData = { message: string };

export const TestResult = titled('TestResult', {
  status_code: documented(
    z.int().nullable(),
    'HTTP status code of the response; null if there was none',
    200,
  ),
  error: DeliveryError.nullable(),
  duration_ms: documented(z.int(), 'Duration of the attempt in milliseconds', 84),
});

/** Delivery of one event to one subscription. Its ID is the header `X-Service-Delivery`. */
export const Delivery = titled('Delivery', {
  id: RecordId,
  event: documented(z.enum([...eventNames, 'test']), 'Event name', 'content.published'),
  status: DeliveryStatus,
  attempt_count: documented(z.int(), 'Number of attempts, including a running one', 1),
  last_status_code: documented(
    z.int().nullable(),
    'HTTP status code of the last response; null if there was none',
    200,
  ),
  error: DeliveryError.nullable(),
  created,
  updated,
  next_attempt_at: timestamp('Time of the next attempt; null if none is planned').nullable(),
});

export const DeliveryPage = titled('DeliveryPage', {
  data: z.array(Delivery).describe('Deliveries on this page'),
  page: documented(z.int(), 'Page number', 1),
  per_page: documented(z.int(), 'Maximum number of deliveries per page', paging.deliveries.default),
  total: documented(z.int(), 'Number of deliveries on all pages', 12),
});

export const deliveryQuery = {
  page: pageQuery.page,
  per_page: wholeNumber(paging.deliveries, 'Maximum number of deliveries per page'),
  status: listParameter(DeliveryStatus, 'failed', 'Only deliveries with one of these statuses').optional(),
};

export const DeliveryAttempt = titled('DeliveryAttempt', {
  attempt: documented(z.int(), 'Number of the attempt within the delivery, starting at 1', 1),
  started: timestamp('Start time'),
  duration_ms: documented(z.int(), 'Duration in milliseconds', 84),
  status_code: documented(
    z.int().nullable(),
    'HTTP status code of the response; null if there was none',
    200,
  ),
  error: DeliveryError.nullable().describe('Reason why the attempt failed; null if it was acknowledged'),
  manual: documented(z.boolean(), 'True if a user requested the attempt', false),
});

/** Delivery with its request body and the result of each attempt. */
export const DeliveryDetail = Delivery.extend({
  body: documented(
    z.string().nullable(),
    'Exact request body; null if the event is no longer stored',
    '{"event":"test","timestamp":"2026-01-31T09:05:00.123Z","data":{"message":"This is a test delivery."}}',
  ),
  attempts: z.array(DeliveryAttempt).describe('Finished attempts, oldest first'),
}).meta({ title: 'DeliveryDetail' });

/** Key of a delivery of a subscription. */
export const OneDelivery = z.strictObject({ id: RecordId, delivery_id: RecordId });

export const Redelivery = titled('Redelivery', {
  id: RecordId,
  status: z.literal('pending').describe('Always `pending`: the attempt is scheduled'),
}).describe('The delivery is scheduled for an immediate attempt');

/** Input of a replay: the selection of events to send again. */
export const ReplayWebhook = titled('ReplayWebhook', {
  id: RecordId,
  since: documented(
    DateTime.transform(toDate),
    'Start of the period: only events at or after this time, at most seven days ago',
    '2026-01-31T00:00:00Z',
  ),
  until: documented(
    DateTime.transform(toDate),
    'End of the period: only events before this time; the current time if omitted',
    '2026-02-01T00:00:00Z',
  ).optional(),
  status: z
    .enum(['failed', 'all'])
    .default('failed')
    .describe('Events to send: `failed` only those that were not delivered, `all` also those that were'),
});

export const Replay = titled('Replay', {
  count: documented(z.int(), 'Number of events that are sent again', 12),
}).describe('The events are queued for delivery');

/** Rotated secret. Both secrets sign `webhook-signature` until `previous_secret_expires_at`. */
export const RotatedWebhookSecret = titled('RotatedWebhookSecret', {
  secret: z.string().describe('New signing secret; returned only in this response'),
  previous_secret_expires_at: timestamp('Time until which the previous secret also signs deliveries'),
});
