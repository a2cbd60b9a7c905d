import { eventually } from '../eventually.ts';
import { createRandom } from '../random.ts';
import { committedTitles, pollUntil, readAttempts, readLedger, settled } from './ledger.ts';
import { administer, createOwner, type Owner, type Subscriptions } from './owner.ts';
import { areOfEveryWay, fussy, moody } from './receiver.ts';
import { createAttemptNotes, strikeAll } from './run-faults.ts';
import type { Size } from './size.ts';
import { startField } from './start-processes.ts';
import { createFaultSchedule, failDoomedWrites, writeEvents } from './writers.ts';

/**
 * Runs a campaign: writers create events, faults strike, and the owner changes webhooks. It waits until all deliveries
 * are settled and returns what each part observed.
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
  await failDoomedWrites(field);
  const owner = createOwner(field);
  const notes = createAttemptNotes(field);
  const pace = createFaultSchedule(size);
  // Each part has its own random source, so that the actions of one do not change those of another.
  const chance = (n: number) => createRandom(seed + n);
  const scene = { field, troubled: subscriptions.troubled, size, random: chance(1), notes, pace, tell };
  const together = <T>(work: Promise<T>) =>
    work.catch((error: unknown) => {
      pace.fail();
      throw error;
    });
  // A transaction of a frozen process can delay events of the log beyond the last write.
  let isSettled = false;
  const polling = together(pollUntil(field, () => isSettled));
  // Its error is thrown by the `await` below, after everything is settled.
  polling.catch(() => {});
  const [struck, written, { deaths }] = await Promise.all([
    together(strikeAll(scene)),
    together(writeEvents(field, size, pace, chance(2))),
    together(administer(owner, subscriptions, { random: chance(3), isOver: pace.isOver })),
  ]);
  tell('all events are written');
  const writtenMs = performance.now() - startedAt;
  // Deliveries may arrive long after their events were written.
  await eventually(() => areOfEveryWay(subscriptions.moody.receiver.arrivals));
  for (const { receiver } of [subscriptions.moody, subscriptions.fussy])
    receiver.answerWith(() => 'acknowledge');
  await settled(field);
  isSettled = true;
  const polled = await polling;
  tell('all deliveries are settled, except missed ones');
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
    repeatedCalls: field.client.repeated(),
    times: { writtenMs, allMs: performance.now() - startedAt },
  };
}

export type Campaign = Awaited<ReturnType<typeof runCampaign>>;

/**
 * Replays the deliveries that a receiver missed. Returns the number of delivered events in the log, and the number of
 * replayed ones.
 */
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
