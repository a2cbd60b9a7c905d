import { eventually } from '../eventually.ts';
import { createRandom } from '../random.ts';
import { administer, type Subscriptions } from './administer.ts';
import { startField } from './field.ts';
import { committedTitles, readAttempts, readLedger, settled } from './ledger.ts';
import { createOwner, type Owner } from './owner.ts';
import { createPace } from './pace.ts';
import { pollUntil } from './poller.ts';
import { areOfEveryWay, fussy, moody } from './receiver.ts';
import type { Size } from './size.ts';
import { strikeAll } from './strikes.ts';
import { createNotes } from './under-way.ts';
import { doomWrites, writeEvents } from './writers.ts';

/**
 * Writes events from all sides while faults strike and the owner does what owners do, waits until all is settled, and
 * tells what everybody saw.
 */
export async function runCampaign(size: Size, seed: number, tell: (progress: string) => void) {
  const startedAt = performance.now();
  await using field = await startField(size);
  const subscriptions: Subscriptions = {
    steady: await field.subscribe(() => 'acknowledge'),
    moody: await field.subscribe(moody),
    fussy: await field.subscribe(fussy),
    troubled: await field.subscribe(() => 'acknowledge'),
    dead: await field.subscribe(() => 'refuse'),
  };
  await doomWrites(field);
  const owner = createOwner(field);
  const notes = createNotes(field);
  const pace = createPace(size);
  // Each has a chance of its own: what one does must not change what befalls another.
  const chance = (n: number) => createRandom(seed + n);
  const scene = { field, troubled: subscriptions.troubled, size, random: chance(1), notes, pace, tell };
  const together = <T>(work: Promise<T>) =>
    work.catch((error: unknown) => {
      pace.fail();
      throw error;
    });
  // A transaction that somebody froze in holds up the log beyond the last write.
  let isSettled = false;
  const polling = together(pollUntil(field, () => isSettled));
  // Told below, once all is settled.
  polling.catch(() => {});
  const [struck, written, { deaths }] = await Promise.all([
    together(strikeAll(scene)),
    together(writeEvents(field, size, pace, chance(2))),
    together(administer(owner, subscriptions, { random: chance(3), isOver: pace.isOver })),
  ]);
  tell('all is written');
  const writtenMs = performance.now() - startedAt;
  // Deliveries may come long after what they tell of was written.
  await eventually(() => areOfEveryWay(subscriptions.moody.receiver.arrivals));
  for (const { receiver } of [subscriptions.moody, subscriptions.fussy])
    receiver.answerWith(() => 'acknowledge');
  await settled(field);
  isSettled = true;
  const polled = await polling;
  tell('all is settled but what was missed');
  const missed = await repair(owner, subscriptions, () => readLedger(field));
  await settled(field);
  return {
    subscriptions,
    struck,
    written,
    polled,
    deaths: deaths + 1,
    missed,
    owner,
    notes: notes.notes,
    committed: await committedTitles(field),
    ledger: await readLedger(field),
    attempts: await readAttempts(field),
    states: {
      steady: await owner.subscription(subscriptions.steady.id),
      moody: await owner.subscription(subscriptions.moody.id),
      dead: await owner.subscription(subscriptions.dead.id),
    },
    repeatedCalls: field.asker.repeated(),
    times: { writtenMs, allMs: performance.now() - startedAt },
  };
}

export type Campaign = Awaited<ReturnType<typeof runCampaign>>;

/** The owner has what a receiver missed sent again: how many that were, by the log and by the replay. */
async function repair(
  owner: Owner,
  { troubled }: Subscriptions,
  ledger: () => ReturnType<typeof readLedger>,
) {
  await owner.switchTo(troubled.id, false);
  const delivered = (await ledger()).filter(
    ({ subscription, status }) => subscription === troubled.id && status === 'delivered',
  );
  const replayed = await owner.replay(troubled, {});
  await owner.nothingAsked(troubled);
  await owner.switchTo(troubled.id, true);
  return { delivered: delivered.length, replayed };
}
