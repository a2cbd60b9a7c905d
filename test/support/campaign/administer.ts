import { setTimeout as delay } from 'node:timers/promises';
import type { Subscription } from './field.ts';
import type { Owner } from './owner.ts';

export interface Subscriptions {
  /** Always answers with 200. */
  steady: Subscription;
  /** Answers in all ways. */
  moody: Subscription;
  /** Answers at once, and with 500 now and then. */
  fussy: Subscription;
  /** Its network stalls, and its owner switches it off and on. */
  troubled: Subscription;
  /** Never answers but with 500. */
  dead: Subscription;
}

/** Does one thing after the other, in an order of chance, until the campaign is over; each at least once. */
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
