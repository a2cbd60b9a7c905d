import { p } from '@mikro-orm/core';
import { sitePrimaryKey, table, timestampColumn } from '../columns.ts';

/** Logged event. It is kept for polling, and its body is exactly what deliveries send and sign. */
export const EventEntity = table('events', {
  ...sitePrimaryKey,
  name: p.text(),
  body: p.text(),
  /** Time by the database's clock, in microseconds. `server/events/event-log.ts` explains why. */
  occurred_at: p.datetime(6).columnType('timestamptz(6)'),
  /** True until the event's deliveries are written. False from the start if there is no subscription. */
  awaits_fan_out: p.boolean(),
});

/** Slot for a follower of a site's events. It is free after it expires. */
export const EventFollower = table('event_followers', {
  site_id: p.text().primary(),
  place: p.integer().primary(),
  /** ID of the connection that follows events in the slot. */
  holder: p.text(),
  expires_at: timestampColumn(),
});
