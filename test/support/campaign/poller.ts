import { setTimeout as delay } from 'node:timers/promises';
import type { Field } from './field.ts';

interface Page {
  events: { id: string; timestamp: string; data: { title: string } }[];
  next_cursor?: string;
}

/** Reads all pages of the event log from a time on. */
async function readFrom({ asker, credentials: { key } }: Field, since: string) {
  const events: Page['events'] = [];
  let query = `since=${encodeURIComponent(since)}`;
  for (;;) {
    const path = `/api/v1/webhooks/poll/content.created?limit=200&${query}`;
    const { status, body } = await asker.ask('GET', path, { key });
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
