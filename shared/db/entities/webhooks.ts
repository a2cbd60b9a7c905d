import { type Opt, p } from '@mikro-orm/core';
import type { z } from 'zod';
import type { EventName, EventPattern } from '../../contract/events.ts';
import type { Collections, DeliveryError, DeliveryStatus } from '../../contract/features/webhooks.ts';
import { bookkeeping, numberArray, sitePrimaryKey, table, textArray, timestampColumn } from '../columns.ts';

/** Subscription of a URL to events. */
export const WebhookSubscription = table('webhook_subscriptions', {
  ...sitePrimaryKey,
  url: p.text(),
  events: textArray().$type<z.infer<typeof EventPattern>[]>(),
  /** Collections whose content events the subscription receives; null for all. */
  collections: textArray().$type<z.infer<typeof Collections>>().nullable(),
  /** True if a program registered it with an API key. Such a program may also delete it. */
  by_key: p.boolean(),
  /** Time from which it receives events, by the clock that stamps events. */
  registered_at: p.datetime(6).columnType('timestamptz(6)').defaultRaw('now()').$type<Opt<Date>>(),
  secret_sealed: p.text(),
  /** Secret before the last rotation, encrypted. It also signs until it expires; null if there is none. */
  previous_secret_sealed: p.text().nullable(),
  previous_secret_expires_at: timestampColumn().nullable(),
  active: p.boolean(),
  /** Start of the latest acknowledged attempt, in microseconds since 1970; 0 before the first. */
  acknowledged_began: p.double().$type<number>(),
  /** Starts of the failed attempts after the latest acknowledged one, in microseconds since 1970. */
  failed_began: numberArray(),
  consecutive_failures: p.integer().generated('(cardinality(failed_began)) stored').$type<Opt<number>>(),
  ...bookkeeping,
});

/**
 * Delivery of one event to one subscription. This row decides when it is due. A job only wakes the worker and may get
 * lost.
 */
export const WebhookDelivery = table('webhook_deliveries', {
  ...sitePrimaryKey,
  subscription_id: p.text(),
  /** ID of the logged event; null for a test, which is not logged. */
  event_id: p.text().nullable(),
  event: p.text().$type<EventName | 'test'>(),
  status: p.text().$type<DeliveryStatus>(),
  /** Number of begun attempts. It is also the number of the running attempt, by which its outcome is fenced. */
  attempt_count: p.integer(),
  /** Number of attempts after which the delivery ends: six, plus one per attempt that was requested manually. */
  attempt_limit: p.integer(),
  last_status_code: p.integer().nullable(),
  error: p.text().$type<DeliveryError>().nullable(),
  /**
   * Time of the next scheduled attempt, or the end of the lease while an attempt runs. Null after the delivery ended.
   */
  due_at: timestampColumn().nullable(),
  /** End of the lease of the worker that runs the attempt; null if none runs. */
  lease_until: timestampColumn().nullable(),
  /**
   * Time at which an attempt was requested manually; the end of its lease while it runs; null if there is none. No
   * scheduled attempt begins before it ends.
   */
  asked_at: timestampColumn().nullable(),
  /**
   * True if a replay requested the attempt. Such attempts come after those that were requested individually;
   * scheduled attempts do not wait for either.
   */
  in_replay: p.boolean(),
  /** Body of a test; null if a logged event has the body. */
  body: p.text().nullable(),
  ...bookkeeping,
});

/** Finished attempt of a delivery. It is deleted with its delivery. */
export const WebhookAttempt = table('webhook_attempts', {
  site_id: p.text().primary(),
  delivery_id: p.text().primary(),
  /** Number within the delivery, from 1. An attempt whose worker died has no row. */
  attempt: p.integer().primary(),
  started: timestampColumn(),
  duration_ms: p.integer(),
  status_code: p.integer().nullable(),
  error: p.text().$type<DeliveryError>().nullable(),
  manual: p.boolean(),
});
