import { setTimeout as delay } from 'node:timers/promises';
import { eventually } from '../eventually.ts';
import type { Field, Subscription } from './start-processes.ts';

const longAgo = '2001-01-01T00:00:00Z';

/** Creates an owner who changes webhooks, and counts the manual attempts per subscription. */
export function createOwner({ client, credentials: { token }, query }: Field) {
  const requested = new Map<string, number>();
  const replays: { id: string; count: number }[] = [];
  const post = (path: string, body?: object) =>
    client.ask('POST', `/api/admin/webhooks${path}`, { key: token, ...(body && { body }) });
  const note = (id: string, attempts: number) => void requested.set(id, (requested.get(id) ?? 0) + attempts);
  const redelivered = new Set<string>();

  const owner = {
    asked: (id: string) => requested.get(id) ?? 0,
    replays,
    async subscription(id: string) {
      const answer = await client.ask('GET', '/api/admin/webhooks', { key: token });
      const { data } = answer.body as {
        data: { id: string; active: boolean; consecutive_failures: number }[];
      };
      return data.find((subscription) => subscription.id === id);
    },
    async switchTo(id: string, active: boolean) {
      const answer = await client.ask('PATCH', `/api/admin/webhooks/${id}`, { key: token, body: { active } });
      if (answer.status !== 200) throw new Error(`changing webhook ${id} failed: ${JSON.stringify(answer)}`);
    },
    async rotate({ id, receiver }: Subscription) {
      const answer = await post(`/${id}/rotate-secret`);
      if (answer.status !== 200) throw new Error(`rotating the secret failed: ${JSON.stringify(answer)}`);
      receiver.secrets.add((answer.body as { secret: string }).secret);
    },
    /** Requests a delivery again that arrived and was not requested before. While an attempt runs, that is refused. */
    async redeliverOne({ id, receiver }: Subscription, random: () => number) {
      const delivery = receiver.arrivals[Math.floor(random() * receiver.arrivals.length)]?.delivery;
      if (!delivery || redelivered.has(delivery)) return;
      redelivered.add(delivery);
      const answer = await post(`/${id}/deliveries/${delivery}/redeliver`);
      if (answer.status === 200) note(id, 1);
      else if (answer.status !== 409) throw new Error(`redelivery failed: ${JSON.stringify(answer)}`);
    },
    /** Requests a replay and returns the number of its deliveries. */
    async replay(
      { id }: Subscription,
      period: { since?: string; until?: string; status?: 'failed' | 'all' },
    ) {
      const answer = await post(`/${id}/replay`, { since: longAgo, ...period });
      if (answer.status !== 200) throw new Error(`replay failed: ${JSON.stringify(answer)}`);
      const { count } = answer.body as { count: number };
      replays.push({ id, count });
      note(id, count);
      return count;
    },
    /** Resolves when no manual attempt is pending. */
    nothingAsked: ({ id }: Subscription) =>
      eventually(async () => {
        const open = await query(
          `select id from webhook_deliveries where subscription_id = '${id}' and asked_at is not null limit 1`,
        );
        return open.length === 0;
      }, 900_000),
  };
  return owner;
}

export type Owner = ReturnType<typeof createOwner>;

export interface Subscriptions {
  /** Subscription whose receiver always answers with 200. */
  steady: Subscription;
  /** Subscription whose receiver answers in all ways. */
  moody: Subscription;
  /** Subscription whose receiver answers immediately, sometimes with 500. */
  fussy: Subscription;
  /** Subscription with a stalling network, which its owner turns off and on. */
  troubled: Subscription;
  /** Subscription whose receiver always answers with 500. */
  dead: Subscription;
}

/**
 * Performs owner's actions one after the other, in random order, until the campaign is over. Each happens at least
 * once.
 */
export async function administer(
  owner: Owner,
  { steady, moody, troubled, dead }: Subscriptions,
  { random, isOver }: { random: () => number; isOver: () => boolean },
) {
  let deaths = 0;
  const deeds = [
    () => owner.rotate([steady, moody, troubled][Math.floor(random() * 3)] ?? steady),
    () => owner.redeliverOne(moody, random),
    async () => {
      const since = new Date(Date.now() - 2_000).toISOString();
      await owner.replay(steady, { since, status: 'all' });
      await owner.nothingAsked(steady);
    },
    async () => {
      await owner.switchTo(troubled.id, false);
      await delay(random() * 300);
      await owner.replay(troubled, {});
      await owner.switchTo(troubled.id, true);
      await owner.nothingAsked(troubled);
    },
    async () => {
      const subscription = await owner.subscription(dead.id);
      if (!subscription || subscription.active) return;
      deaths += 1;
      await owner.switchTo(dead.id, true);
    },
  ];
  for (let done = 0; done < deeds.length || !isOver(); done++) {
    const chosen = done < deeds.length ? done : Math.floor(random() * deeds.length);
    await deeds[chosen]?.();
    await delay(random() * 400);
  }
  return { deaths };
}
