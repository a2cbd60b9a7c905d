import { setTimeout as delay } from 'node:timers/promises';
import type { Subscription } from './field.ts';
import type { Owner } from './owner.ts';

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
