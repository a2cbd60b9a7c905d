import { z } from 'zod';
import { created, updated } from './envelopes.ts';
import { EventName, EventPattern, eventNames } from './events.ts';
import { boundedText } from './fields.ts';
import { webhooks } from './limits.ts';
import { moment } from './moments.ts';
import { pageQuery, wholeNumber } from './pagination.ts';
import { RecordId } from './record-id.ts';

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

/** `failed`: six attempts used. `cancelled`: the subscription was disabled or deleted before an acknowledgement. */
export const DeliveryStatus = z
  .enum(['pending', 'delivered', 'retrying', 'failed', 'cancelled'])
  .describe('Where the delivery stands');
export type DeliveryStatus = z.infer<typeof DeliveryStatus>;

const url = boundedText(2_000).meta({
  description: 'Where deliveries are sent: https, at a public address',
  examples: ['https://hooks.example.com/creator'],
});
const secret = boundedText(webhooks.secretLength.max)
  // Zod counts code points, of which some take two units.
  .refine((text) => text.length >= webhooks.secretLength.min, {
    error: `must have at least ${webhooks.secretLength.min} characters, as UTF-16 counts them`,
  })
  .meta({
    description: 'Key of the signatures; one is generated when left out',
    examples: ['whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwqS7Ci9t2mXY='],
    minLength: Math.ceil(webhooks.secretLength.min / 2),
  });
const concreteEvents = z
  .array(EventName)
  .min(1)
  .max(50)
  .meta({ description: 'What to tell of', examples: [['content.published']] });
const active = z.boolean().meta({ description: 'Whether deliveries are made', examples: [true] });

/** Over v2: names of events and wildcards. */
export const RegisterWebhook = z
  .strictObject({
    url,
    events: z
      .array(EventPattern)
      .min(1)
      .max(50)
      .meta({ description: 'What to tell of', examples: [['content.*']] }),
    secret: secret.nullable().optional(),
  })
  .meta({ title: 'RegisterWebhook' });

/** By the owner: names of events only. */
export const CreateWebhook = RegisterWebhook.extend({ events: concreteEvents }).meta({
  title: 'CreateWebhook',
});

export const UpdateWebhook = z
  .strictObject({
    id: RecordId,
    url: url.optional(),
    events: concreteEvents.optional(),
    active: active.optional(),
  })
  .meta({ title: 'UpdateWebhook' });

const eventList = z
  .array(EventPattern)
  .meta({ description: 'What it is told of', examples: [['content.published']] });

/** The secret is shown here and never again. */
export const CreatedWebhook = z
  .strictObject({
    id: RecordId,
    url,
    events: eventList,
    active,
    secret: z.string().meta({ description: 'Key of the signatures, shown only here' }),
    created,
  })
  .meta({ title: 'CreatedWebhook' });

export const Webhook = z
  .strictObject({
    id: RecordId,
    url,
    events: eventList,
    active,
    consecutive_failures: z
      .int()
      .meta({ description: 'Failed attempts since the last acknowledged one', examples: [0] }),
    created,
    updated,
  })
  .meta({ title: 'Webhook' });

/** What came of a test event. */
export const TestResult = z
  .strictObject({
    status_code: z
      .int()
      .nullable()
      .meta({ description: 'What the URL answered; null when nothing did', examples: [200] }),
    error: DeliveryError.nullable(),
    duration_ms: z.int().meta({ description: 'How long the attempt took, in milliseconds', examples: [84] }),
  })
  .meta({ title: 'TestResult' });

/** One event on its way to one subscription; its id is its `X-Service-Delivery`. */
export const Delivery = z
  .strictObject({
    id: RecordId,
    event: z
      .enum([...eventNames, 'test'])
      .meta({ description: 'What it tells of', examples: ['content.published'] }),
    status: DeliveryStatus,
    attempt_count: z.int().meta({ description: 'Attempts begun', examples: [1] }),
    last_status_code: z
      .int()
      .nullable()
      .meta({ description: 'What the last attempt was answered', examples: [200] }),
    error: DeliveryError.nullable(),
    created,
    updated,
    next_attempt_at: moment('When the next attempt is due, if one is').nullable(),
  })
  .meta({ title: 'Delivery' });

/** Deliveries of a subscription, newest first. */
export const DeliveryPage = z
  .strictObject({
    data: z.array(Delivery).meta({ description: 'Deliveries of this page' }),
    page: z.int().meta({ description: 'The page asked for', examples: [1] }),
    per_page: z.int().meta({ description: 'Deliveries in a page', examples: [100] }),
    total: z.int().meta({ description: 'Deliveries in all pages', examples: [12] }),
  })
  .meta({ title: 'DeliveryPage' });

export const deliveryQuery = {
  page: pageQuery.page,
  per_page: wholeNumber({ min: 1, max: 100, default: 100 }, 'Deliveries in a page'),
};
