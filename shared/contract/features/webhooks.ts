import { z } from 'zod';
import { documented, titled } from '../documented.ts';
import { created, updated } from '../envelopes.ts';
import { EventName, EventPattern, eventNames } from '../events.ts';
import { boundedText } from '../fields.ts';
import { paging, retryDelaysSeconds } from '../limits.ts';
import { listParameter } from '../list-parameter.ts';
import { DateTime, moment, toDate } from '../moments.ts';
import { pageQuery, wholeNumber } from '../pagination.ts';
import { RecordId } from '../record-id.ts';
import { eventfulCollections } from '../resources/index.ts';

/** Deliveries of events and those who get them. */
export const webhookLimits = {
  /** Attempts of one delivery in all. */
  attempts: retryDelaysSeconds.length + 1,
  /** Failed attempts in a row that switch a subscription off. */
  failuresToDisable: 10,
  /** Failed attempts in a row of which the owner is told. */
  failuresToNotify: 5,
  subscriptionsPerSite: 100,
  /** Of a secret that the caller chooses, in UTF-16 units. */
  secretLength: { min: 16, max: 256 },
  eventsPerReplay: 10_000,
} as const;

/** Why an attempt failed. Null on a record whose last attempt was acknowledged. */
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
  .describe('Why the last attempt failed');
export type DeliveryError = z.infer<typeof DeliveryError>;

/**
 * `failed`: no attempt is left. `cancelled`: the subscription was disabled or deleted before an acknowledgement.
 * `pending`: nothing came of it yet, or an attempt was asked for by hand.
 */
export const DeliveryStatus = z
  .enum(['pending', 'delivered', 'retrying', 'failed', 'cancelled'])
  .describe('Where the delivery stands');
export type DeliveryStatus = z.infer<typeof DeliveryStatus>;

const url = documented(
  boundedText(2_000),
  'Where deliveries are sent: https, at a public address',
  'https://hooks.example.com/creator',
);
const secret = boundedText(webhookLimits.secretLength.max)
  // Zod counts code points, of which some take two units.
  .refine((text) => text.length >= webhookLimits.secretLength.min, {
    error: `must have at least ${webhookLimits.secretLength.min} characters, as UTF-16 counts them`,
  })
  // Without an example: samples and assistants would register it, and who reads the documents could sign what they like.
  .meta({
    description: 'Key of the signatures; one is generated when left out',
    minLength: Math.ceil(webhookLimits.secretLength.min / 2),
  });
const concreteEvents = documented(z.array(EventName).min(1).max(50), 'What to tell of', [
  'content.published',
]);
const active = documented(z.boolean(), 'Whether deliveries are made', true);

/** Narrows `content.*` events, and no others. */
export const Collections = documented(
  z.array(z.enum(eventfulCollections)).min(1).max(50),
  'Tells of content in these collections only; of all when left out',
  ['posts'],
);

/** Over v2: names of events and wildcards. */
export const RegisterWebhook = titled('RegisterWebhook', {
  url,
  events: documented(z.array(EventPattern).min(1).max(50), 'What to tell of', ['content.*']),
  collections: Collections.nullable().optional(),
  secret: secret.nullable().optional(),
});

/** By the owner: names of events only. */
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
  events: documented(z.array(EventPattern), 'What it is told of', ['content.published']),
  /** Only where a subscription is narrowed. */
  collections: Collections.optional(),
  active,
};

/** The secret is shown here and never again. */
export const CreatedWebhook = titled('CreatedWebhook', {
  ...shown,
  secret: z.string().describe('Key of the signatures, shown only here'),
  created,
});

export const Webhook = titled('Webhook', {
  ...shown,
  consecutive_failures: documented(z.int(), 'Failed attempts since the last acknowledged one', 0),
  created,
  updated,
});

export type TestEventData = { message: string };

/** What came of a test event. */
export const TestResult = titled('TestResult', {
  status_code: documented(z.int().nullable(), 'What the URL answered; null when nothing did', 200),
  error: DeliveryError.nullable(),
  duration_ms: documented(z.int(), 'How long the attempt took, in milliseconds', 84),
});

/** One event on its way to one subscription; its id is its `X-Service-Delivery`. */
export const Delivery = titled('Delivery', {
  id: RecordId,
  event: documented(z.enum([...eventNames, 'test']), 'What it tells of', 'content.published'),
  status: DeliveryStatus,
  attempt_count: documented(z.int(), 'Attempts begun', 1),
  last_status_code: documented(z.int().nullable(), 'What the last attempt was answered', 200),
  error: DeliveryError.nullable(),
  created,
  updated,
  next_attempt_at: moment('When the next attempt is due, if one is').nullable(),
});

/** Deliveries of a subscription, newest first. */
export const DeliveryPage = titled('DeliveryPage', {
  data: z.array(Delivery).describe('Deliveries of this page'),
  page: documented(z.int(), 'The page asked for', 1),
  per_page: documented(z.int(), 'Deliveries in a page', paging.deliveries.default),
  total: documented(z.int(), 'Deliveries in all pages', 12),
});

export const deliveryQuery = {
  page: pageQuery.page,
  per_page: wholeNumber(paging.deliveries, 'Deliveries in a page'),
  status: listParameter(DeliveryStatus, 'failed', 'Only deliveries that stand so').optional(),
};

/** An attempt that ended. */
export const DeliveryAttempt = titled('DeliveryAttempt', {
  attempt: documented(z.int(), 'Its number within the delivery, from 1', 1),
  started: moment('When it began'),
  duration_ms: documented(z.int(), 'How long it took, in milliseconds', 84),
  status_code: documented(z.int().nullable(), 'What the URL answered; null when nothing did', 200),
  error: DeliveryError.nullable().describe('Why it failed; null when it was acknowledged'),
  manual: documented(z.boolean(), 'Whether it was asked for by hand', false),
});

/** A delivery with what was sent, and how each attempt of it ended. */
export const DeliveryDetail = Delivery.extend({
  body: documented(
    z.string().nullable(),
    'Exactly what is sent; null once the event is no longer kept',
    '{"event":"test","timestamp":"2026-01-31T09:05:00.123Z","data":{"message":"This is a test delivery."}}',
  ),
  attempts: z.array(DeliveryAttempt).describe('Attempts that ended, the first one first'),
}).meta({ title: 'DeliveryDetail' });

/** One delivery of one subscription. */
export const OneDelivery = z.strictObject({ id: RecordId, delivery_id: RecordId });

export const Redelivery = titled('Redelivery', {
  id: RecordId,
  status: z.literal('pending').describe('An attempt is about to be made'),
}).describe('One more attempt is made now');

/** Which events to send again. */
export const ReplayWebhook = titled('ReplayWebhook', {
  id: RecordId,
  since: documented(
    DateTime.transform(toDate),
    'Events at or after this moment, of the last seven days',
    '2026-01-31T00:00:00Z',
  ),
  until: documented(
    DateTime.transform(toDate),
    'Events before this moment; up to now when left out',
    '2026-02-01T00:00:00Z',
  ).optional(),
  status: z
    .enum(['failed', 'all'])
    .default('failed')
    .describe('`failed`: those that were not delivered; `all`: the others again, too'),
});

export const Replay = titled('Replay', {
  count: documented(z.int(), 'Events that are sent', 12),
}).describe('They are being sent');

/** Both secrets sign `webhook-signature` until `previous_secret_expires_at`. */
export const RotatedWebhookSecret = titled('RotatedWebhookSecret', {
  secret: z.string().describe('The new key of the signatures, shown only here'),
  previous_secret_expires_at: moment('When the previous secret stops signing'),
});
