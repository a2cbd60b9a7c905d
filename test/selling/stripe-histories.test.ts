import { expect, test } from 'vitest';
import { createRandom, newSeed } from '../support/random.ts';
import { createSteps, expectRowsOfLedger, openInService, sellEverything } from '../support/sales-history.ts';
import { openBy, salesOf } from '../support/sales-model.ts';
import { type StripeSite, startConnectedSite } from '../support/selling-site.ts';
import { timeLimits } from '../support/time-limits.ts';

const isLong = process.env.FAULTS === 'long';
/** Each buyer of a world has one history. */
const buyersOfWorld = isLong ? 40 : 30;
const worlds = isLong ? 250 : 1;
/** Number of worlds that are played concurrently, because a single one waits for the database half of its time. */
const lanes = isLong ? 4 : 1;
const rounds = isLong ? 40 : 24;
const minutes = Number(process.env.MINUTES ?? 120);
const seed = Number(process.env.SEED ?? (isLong ? newSeed() : 11));

/**
 * Follows what the ledger opened at some time since the last complete pass. The service may open nothing else, whatever happens to its
 * passes.
 */
function createWatch(site: StripeSite, buyers: string[]) {
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
  timeout: isLong ? 7_200_000 : timeLimits.test,
}, async () => {
  const endsAt = performance.now() + minutes * 60_000;
  let begun = 0;
  let checks = 0;
  const play = async () => {
    while (begun < worlds && performance.now() < endsAt) {
      begun += 1;
      const checked = await playWorld(seed + begun - 1);
      checks += checked;
    }
  };
  await Promise.all(Array.from({ length: lanes }, play));
  if (isLong) console.log(`${begun * buyersOfWorld} histories, ${checks} checks of what is open`);
});

/** Plays the histories of the buyers of one site. Returns the number of checks. */
async function playWorld(worldSeed: number): Promise<number> {
  if (isLong) console.log(`world ${worldSeed}`);
  const random = createRandom(worldSeed);
  await using site = await startConnectedSite({ livemode: true, config: { countsTest: false } });
  const { stripe, clock } = site;
  const offers = Object.values(await sellEverything(site));
  const buyers = Array.from({ length: buyersOfWorld }, (_, at) => `buyer${at}@example.com`);
  const takeStep = createSteps(site, offers, buyers, random);
  const watch = createWatch(site, buyers);
  const failures: unknown[] = [];
  const checkSometimes: Parameters<typeof stripe.onCall>[0] = async (_, timestamp) => {
    if (timestamp === 'before' && random() < 0.1)
      await watch.check().catch((error: unknown) => failures.push(error));
  };
  const takeSteps = async (count: number) => {
    for (let taken = 0; taken < count; taken++) {
      await takeStep();
      watch.note();
    }
  };

  /** Holds a pass at an answer until its lease is over and another pass is complete. Returns true if that was. */
  async function holdPass(): Promise<boolean> {
    const { promise: released, resolve: release } = Promise.withResolvers<void>();
    const { promise: held, resolve: hold } = Promise.withResolvers<boolean>();
    let isHolding = false;
    stripe.onCall((call, timestamp) => {
      if (isHolding || timestamp === 'before' || random() > 0.1) return checkSometimes(call, timestamp);
      isHolding = true;
      hold(true);
      return released;
    });
    const first = pass(site);
    const isHeld = await Promise.race([held, first.then(() => false)]);
    stripe.onCall(checkSometimes);
    if (!isHeld) return first;
    stripe.recover();
    await takeSteps(5);
    clock.advance({ seconds: 61 });
    const isComplete = await pass(site);
    release();
    await first;
    return isComplete;
  }

  stripe.onCall(checkSometimes);
  for (let round = 0; round < rounds; round++) {
    await takeSteps(buyersOfWorld / 4);
    clock.advance({ minutes: Math.floor(random() ** 3 * 60 * 24 * 12) });
    stripe.passTime();
    watch.note();
    await watch.check();
    if (random() < 0.4) Object.assign(stripe.faults, { status429: 0.01, status500: 0.01, cut: 0.02 });
    const isComplete = random() < 0.2 ? await holdPass() : await pass(site);
    stripe.recover();
    await watch.check();
    expect(failures).toEqual([]);
    if (!isComplete) continue;
    watch.forget();
    await expectRowsOfLedger(site);
    await watch.compare();
  }
  expect(watch.checks).toBeGreaterThan(rounds);
  return watch.checks;
}

/** Runs a pass now. Returns true if it was completed. */
async function pass(site: StripeSite): Promise<boolean> {
  // No other pass has this time.
  site.clock.advance({ seconds: 1 });
  const em = site.deps.database.em.fork();
  const now = site.clock.now();
  await em.execute('update payment_connections set due_at = ?, lease_until = null', [now]);
  await site.passNow();
  const [row] = await em.execute<{ seen_at: Date | null }[]>('select seen_at from payment_connections');
  return row?.seen_at?.getTime() === now.getTime();
}
