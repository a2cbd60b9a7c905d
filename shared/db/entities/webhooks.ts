import { defineEntity, type Opt, p } from '@mikro-orm/core';
import type { z } from 'zod';
import type { EventName, EventPattern } from '../../contract/events.ts';
import type { DeliveryError, DeliveryStatus } from '../../contract/webhooks.ts';
import { bookkeeping, moment, numberArray, sitePrimaryKey, textArray } from '../columns.ts';

/** Who is told of which events. */
export const WebhookSubscription = defineEntity({
  name: 'webhook_subscriptions',
  tableName: 'webhook_subscriptions',
  properties: {
    ...sitePrimaryKey,
    url: p.text(),
    events: textArray().$type<z.infer<typeof EventPattern>[]>(),
    secret_sealed: p.text(),
    active: p.boolean(),
    /** When the attempt began that was acknowledged and began last, as `began` of a claim tells it; 0 before the first. */
    acknowledged_began: p.double().$type<number>(),
    /** When the attempts began that failed and began after that one. */
    failed_began: numberArray(),
    consecutive_failures: p.integer().generated('(cardinality(failed_began)) stored').$type<Opt<number>>(),
    ...bookkeeping,
  },
});

/** One event on its way to one subscription. This row says what is due; a job only wakes the worker, and may get lost. */
export const WebhookDelivery = defineEntity({
  name: 'webhook_deliveries',
  tableName: 'webhook_deliveries',
  properties: {
    ...sitePrimaryKey,
    subscription_id: p.text(),
    /** Null for a test, whose event is not logged. */
    event_id: p.text().nullable(),
    event: p.text().$type<EventName | 'test'>(),
    status: p.text().$type<DeliveryStatus>(),
    /** Attempts begun; the number of the attempt under way, by which its outcome is fenced. */
    attempt_count: p.integer(),
    last_status_code: p.integer().nullable(),
    error: p.text().$type<DeliveryError>().nullable(),
    /** When it may next be attempted: the retry's time, or the end of the lease of the attempt under way. Null when it is over. */
    due_at: moment().nullable(),
    /** Until when the attempt under way belongs to the worker that claimed it. */
    lease_until: moment().nullable(),
    ...bookkeeping,
  },
});
