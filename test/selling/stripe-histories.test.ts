import { expect, test } from 'vitest';
import { createRandom, newSeed } from '../support/random.ts';
import {
  type ConnectedSite,
  createSteps,
  expectRowsOfLedger,
  openInService,
  sellEverything,
} from '../support/sales-history.ts';
import { openBy, salesOf } from '../support/sales-model.ts';
import { startConnectedSite } from '../support/selling-site.ts';

const isLong = process.env.FAULTS === 'long';
/** Each buyer of a world has one history. */
const buyersOfWorld = isLong ? 40 : 30;
const worlds = isLong ? 250 : 1;
const rounds = isLong ? 40 : 24;
const minutes = Number(process.env.MINUTES ?? 120);
const seed = Number(process.env.SEED ?? (isLong ? newSeed() : 11));

/**
 * Follows what the ledger opened at some time since the last complete pass. The service may open nothing else, whatever happens to its
 * passes.
 */
function createWatch(site: ConnectedSite, buyers: string[]) {
  const seconds = () => Math.floor(site.clock.now().getTime() / 1_000);
  const versions = [salesOf(site.ledger(), site.siteId)];
  let checks = 0;
  return {
    get checks() {
      return checks;
    },
    note: () => void versions.push(salesOf(site.ledger(), site.siteId)),
    /** Keeps the newest version: a complete pass saw it. */
    forget: () => void versions.splice(0, versions.length - 1),
    async check() {
      checks += 1;
      const allowed = new Set(versions.flatMap((sales) => openBy(sales, seconds())));
      const open = await openInService(site, buyers);
      expect(open.filter((name) => !allowed.has(name))).toEqual([]);
    },
    /** Compares what is open with the ledger. Tiers open purchases too, which are then not listed. */
    async compare() {
      const isListed = (name: string, all: string[]) => {
        const [email = ''] = name.split(' ');
        return name.endsWith(' tiers') || !all.includes(`${email} tiers`);
      };
      const expected = [...new Set(openBy(salesOf(site.ledger(), site.siteId), seconds()))];
      const open = await openInService(site, buyers);
      const listed = (all: string[]) => all.filter((name) => isListed(name, all)).toSorted();
      expect(listed(open)).toEqual(listed(expected));
    },
  };
}

test(`nothing opens unpaid, and complete passes make rows equal to the ledger, in random histories with failing passes (seed ${seed})`, {
  timeout: isLong ? 7_200_000 : 240_000,
}, async () => {
  const endsAt = performance.now() + minutes * 60_000;
  for (let world = 0; world < worlds && performance.now() < endsAt; world++) await playWorld(seed + world);
});

async function playWorld(worldSeed: number) {
  if (isLong) console.log(`world ${worldSeed}`);
  const random = createRandom(worldSeed);
  await using site = await startConnectedSite({ livemode: true, config: { countsTest: false } });
  const offers = Object.values(await sellEverything(site));
  const buyers = Array.from({ length: buyersOfWorld }, (_, at) => `buyer${at}@example.com`);
  const step = createSteps(site, offers, buyers, random);
  const watch = createWatch(site, buyers);
  site.stripe.onCall(async (_, moment) => {
    if (moment === 'before' && random() < 0.1) await watch.check();
  });
  for (let round = 0; round < rounds; round++) {
    for (let taken = 0; taken < buyersOfWorld / 4; taken++) {
      await step();
      watch.note();
    }
    site.clock.advance({ minutes: Math.floor(random() ** 3 * 60 * 24 * 12) });
    site.stripe.passTime();
    watch.note();
    await watch.check();
    const isFaulty = random() < 0.4;
    if (isFaulty) Object.assign(site.stripe.faults, { status429: 0.01, status500: 0.01, cut: 0.02 });
    const isComplete = await pass(site);
    site.stripe.recover();
    await watch.check();
    if (!isComplete) continue;
    watch.forget();
    await expectRowsOfLedger(site);
    await watch.compare();
  }
  expect(watch.checks).toBeGreaterThan(rounds);
}

/** Runs a pass now. Returns true if it was completed. */
async function pass(site: ConnectedSite): Promise<boolean> {
  const em = site.deps.database.em.fork();
  const now = site.clock.now();
  await em.execute('update payment_connections set due_at = ?, lease_until = null', [now]);
  await site.pass();
  const [row] = await em.execute<{ seen_at: Date | null }[]>('select seen_at from payment_connections');
  return row?.seen_at?.getTime() === now.getTime();
}
