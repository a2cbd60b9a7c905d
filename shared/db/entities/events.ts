import { p } from '@mikro-orm/core';
import { moment, sitePrimaryKey, table } from '../columns.ts';

/** A logged event: kept for polling, and the exact body that its deliveries send and sign. */
export const EventEntity = table('events', {
  ...sitePrimaryKey,
  name: p.text(),
  body: p.text(),
  /** By the database's clock and to the microsecond: `server/events/event-log.ts` says why. */
  occurred_at: p.datetime(6).columnType('timestamptz(6)'),
  /** True until its deliveries are written; false at once when nothing subscribes. */
  awaits_fan_out: p.boolean(),
});

/** One place of those that a site has for followers of its events; free once it has expired. */
export const EventFollower = table('event_followers', {
  site_id: p.text().primary(),
  place: p.integer().primary(),
  /** Whose it is: an id of the connection. */
  holder: p.text(),
  expires_at: moment(),
});
