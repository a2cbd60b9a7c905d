import { setTimeout as delay } from 'node:timers/promises';
import { eventually } from '../eventually.ts';
import type { Field } from './start-processes.ts';

/** Final state of a delivery in the database, with the title in its event. */
export interface Entry {
  id: string;
  title: string;
  subscription: string;
  status: string;
  attempts: number;
  limit: number;
  /** Number of logged attempts: scheduled ones, and manual ones. */
  automatic: number;
  manual: number;
}

export const readLedger = ({ query }: Field) =>
  query<Entry>(`
    select d.id, e.body::json -> 'data' ->> 'title' as title, d.subscription_id as subscription, d.status,
      d.attempt_count as attempts, d.attempt_limit as limit,
      coalesce(a.automatic, 0)::int as automatic, coalesce(a.manual, 0)::int as manual
    from webhook_deliveries d
    join events e on e.site_id = d.site_id and e.id = d.event_id
    left join (
      select site_id, delivery_id, count(*) filter (where not manual) as automatic, count(*) filter (where manual) as manual
      from webhook_attempts group by site_id, delivery_id
    ) a on a.site_id = d.site_id and a.delivery_id = d.id`);

/** Reads the start time of each logged attempt, by the database's clock (Unix time in ms). */
export const readAttempts = ({ query }: Field) =>
  query<{ id: string; attempt: number; startedMs: number }>(`
    select delivery_id as id, attempt, (extract(epoch from started) * 1000)::float8 as "startedMs" from webhook_attempts`);

/** Returns the titles of all events in the log. */
export async function committedTitles({ query }: Field) {
  const rows = await query<{ title: string }>(`select body::json -> 'data' ->> 'title' as title from events`);
  return rows.map(({ title }) => title);
}

/** Resolves when no delivery and no fan-out is pending. */
export const settled = ({ query }: Field) =>
  eventually(async () => {
    const open = await query(`
      (select id from webhook_deliveries where due_at is not null or asked_at is not null limit 1)
      union all (select id from events where awaits_fan_out limit 1)`);
    return open.length === 0;
  }, 600_000);

interface Page {
  events: { id: string; timestamp: string; data: { title: string } }[];
  next_cursor?: string;
}

/** Reads all pages of the event log from a time on. */
async function readFrom({ client, credentials: { key } }: Field, since: string) {
  const events: Page['events'] = [];
  let query = `since=${encodeURIComponent(since)}`;
  for (;;) {
    const path = `/api/v1/webhooks/poll/content.created?limit=200&${query}`;
    const { status, body } = await client.ask('GET', path, { key });
    if (status !== 200) throw new Error(`polling failed: ${status} ${JSON.stringify(body)}`);
    const page = body as Page;
    events.push(...page.events);
    if (!page.next_cursor) return events;
    query = `cursor=${encodeURIComponent(page.next_cursor)}`;
  }
}

/** Polls the log from the timestamp of the last event, until `isOver`. Returns the titles, one per event ID. */
export async function pollUntil(field: Field, isOver: () => boolean) {
  const titles = new Map<string, string>();
  let since = new Date(Date.now() - 60_000).toISOString();
  for (let last = false; ; last = isOver()) {
    for (const { id, timestamp, data } of await readFrom(field, since)) {
      titles.set(id, data.title);
      since = timestamp;
    }
    if (last) return [...titles.values()];
    await delay(200);
  }
}
