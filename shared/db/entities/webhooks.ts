import { type Opt, p } from '@mikro-orm/core';
import type { z } from 'zod';
import type { EventName, EventPattern } from '../../contract/events.ts';
import type { Collections, DeliveryError, DeliveryStatus } from '../../contract/features/webhooks.ts';
import { bookkeeping, moment, numberArray, sitePrimaryKey, table, textArray } from '../columns.ts';

/** Who is told of which events. */
export const WebhookSubscription = table('webhook_subscriptions', {
  ...sitePrimaryKey,
  url: p.text(),
  events: textArray().$type<z.infer<typeof EventPattern>[]>(),
  /** Of which collections it hears of content; null for all. */
  collections: textArray().$type<z.infer<typeof Collections>>().nullable(),
  /** Whether a program registered it with its key, and so may end it. */
  by_key: p.boolean(),
  /** Since when events are its own, by the clock that events have theirs from. */
  registered_at: p.datetime(6).columnType('timestamptz(6)').defaultRaw('now()').$type<Opt<Date>>(),
  secret_sealed: p.text(),
  /** The secret before the last rotation, which signs too until it expires. */
  previous_secret_sealed: p.text().nullable(),
  previous_secret_expires_at: moment().nullable(),
  active: p.boolean(),
  /** When the attempt began that was acknowledged and began last, as `began` of a claim tells it; 0 before the first. */
  acknowledged_began: p.double().$type<number>(),
  /** When the attempts began that failed and began after that one. */
  failed_began: numberArray(),
  consecutive_failures: p.integer().generated('(cardinality(failed_began)) stored').$type<Opt<number>>(),
  ...bookkeeping,
});

/** One event on its way to one subscription. This row says what is due; a job only wakes the worker, and may get lost. */
export const WebhookDelivery = table('webhook_deliveries', {
  ...sitePrimaryKey,
  subscription_id: p.text(),
  /** Null for a test, whose event is not logged. */
  event_id: p.text().nullable(),
  event: p.text().$type<EventName | 'test'>(),
  status: p.text().$type<DeliveryStatus>(),
  /** Attempts begun; the number of the attempt under way, by which its outcome is fenced. */
  attempt_count: p.integer(),
  /** How many attempts end it: six, and each that was asked for by hand. */
  attempt_limit: p.integer(),
  last_status_code: p.integer().nullable(),
  error: p.text().$type<DeliveryError>().nullable(),
  /** When it is next attempted by itself: the retry's time, or the end of the lease of the attempt under way. Null when it is over. */
  due_at: moment().nullable(),
  /** Until when the attempt under way belongs to the worker that claimed it. */
  lease_until: moment().nullable(),
  /**
   * When an attempt was asked for by hand that is yet to be made, and the end of its lease while it is under way. No
   * attempt begins by itself meanwhile.
   */
  asked_at: moment().nullable(),
  /** Whether it was asked for as one of many, which come after those that were asked for one by one. */
  in_replay: p.boolean(),
  /** What is sent, where no logged event has it: a test's. */
  body: p.text().nullable(),
  ...bookkeeping,
});

/** An attempt that ended, of a delivery of the same site. It is removed with its delivery. */
export const WebhookAttempt = table('webhook_attempts', {
  site_id: p.text().primary(),
  delivery_id: p.text().primary(),
  /** Its number within the delivery, from 1. One whose worker died has no row. */
  attempt: p.integer().primary(),
  started: moment(),
  duration_ms: p.integer(),
  status_code: p.integer().nullable(),
  error: p.text().$type<DeliveryError>().nullable(),
  manual: p.boolean(),
});
