/**
 * Combines writers, all kinds of faults, bad receivers, and an owner who repairs, rotates and reactivates. Then
 * compares what each of them observed. `pnpm test:faults` runs the long form.
 */
import { beforeAll, describe, expect, test, vi } from 'vitest';
import { webhookLimits as webhooks } from '../../shared/contract/features/webhooks.ts';
import { type Campaign, runCampaign } from '../support/campaign/campaign.ts';
import { countsOf, measurementsOf, publish, unexplainedDoubles } from '../support/campaign/measurements.ts';
import { isAcknowledged } from '../support/campaign/receiver.ts';
import { long, short } from '../support/campaign/size.ts';
import { newSeed } from '../support/random.ts';

const isLong = process.env.FAULTS === 'long';
const planned = isLong ? long : short;
const size = { ...planned, minutes: Number(process.env.MINUTES ?? planned.minutes) };
const seed = Number(process.env.SEED ?? newSeed());

if (isLong) vi.setConfig({ hookTimeout: 3_600_000 });

/** Returns up to ten entries that two lists contain in different numbers. */
function differences(actual: readonly string[], expected: readonly string[]) {
  const counts = new Map<string, number>();
  for (const title of actual) counts.set(title, (counts.get(title) ?? 0) + 1);
  for (const title of expected) counts.set(title, (counts.get(title) ?? 0) - 1);
  return [...counts].filter(([, count]) => count !== 0).slice(0, 10);
}

describe(`a campaign with seed ${seed}`, () => {
  let campaign: Campaign;
  let committed: string[];

  beforeAll(async () => {
    const tell = (progress: string) => isLong && console.log(new Date().toISOString(), progress);
    campaign = await runCampaign(size, seed, tell);
    committed = campaign.committed;
    await publish(`webhook-campaign-${isLong ? 'long' : 'short'}`, measurementsOf(campaign, size, seed));
  });

  const own = (name: keyof Campaign['subscriptions']) => {
    const { id, receiver } = campaign.subscriptions[name];
    return { id, receiver, ledger: campaign.ledger.filter(({ subscription }) => subscription === id) };
  };

  test('every fault occurred as often as planned, and receivers gave every kind of answer', () => {
    expect(countsOf(campaign.struck)).toEqual(size.strikes);
    expect(committed.length).toBe(size.events);
    const answers = new Set(own('moody').receiver.arrivals.map(({ answer }) => answer));
    expect([...answers].toSorted()).toEqual([
      'acknowledge',
      'acknowledge late',
      'flood',
      'hang',
      'redirect',
      'refuse',
      'reset',
    ]);
  });

  test('every confirmed write is committed once; no refused or rolled back write is', () => {
    expect(differences(committed, campaign.written.accepted)).toEqual([]);
    expect([...campaign.written.denied.keys()]).not.toContain(201);
    expect(campaign.written.denied.size).toBeGreaterThan(0);
  });

  test('a poller that follows the log sees every committed event, and nothing else', () => {
    expect(differences(campaign.polled, committed)).toEqual([]);
  });

  test.each(['steady', 'moody', 'fussy', 'troubled'] as const)(
    'the %s receiver acknowledged every committed event and received no other',
    (name) => {
      const { receiver, ledger } = own(name);
      const acknowledged = new Set(receiver.arrivals.filter(isAcknowledged).map(({ title }) => title));
      expect(differences([...acknowledged], committed)).toEqual([]);
      expect(new Set(receiver.arrivals.map(({ title }) => title)).size).toBe(acknowledged.size);
      expect(ledger.length).toBe(committed.length);
      expect(new Set(ledger.map(({ status }) => status))).toEqual(new Set(['delivered']));
    },
  );

  test('no delivery has more than six scheduled attempts', () => {
    const tooMany = campaign.ledger.filter(
      ({ attempts, limit, automatic }) => attempts > limit || automatic > webhooks.attempts,
    );
    expect(tooMany.slice(0, 10)).toEqual([]);
  });

  test('a dead receiver is deactivated by exactly ten failures, each time it is activated again', () => {
    const { receiver, ledger } = own('dead');
    const failures = ledger.reduce((sum, { automatic }) => sum + automatic, 0);
    const sinceTheLast = campaign.states.dead?.consecutive_failures ?? 0;
    expect(failures).toBe(webhooks.failuresToDisable * (campaign.deaths - 1) + sinceTheLast);
    // Attempts during a fault were sent too, although their outcome is unknown.
    const struck = new Set(campaign.notes.map(({ id, attempt }) => `${id}/${attempt}`));
    const ofDead = new Set(ledger.map(({ id }) => id));
    const atFaults = [...struck].filter((text) => ofDead.has(text.split('/')[0] ?? '')).length;
    expect(receiver.arrivals.length).toBeGreaterThanOrEqual(failures);
    expect(receiver.arrivals.length).toBeLessThanOrEqual(failures + atFaults);
  });

  test('nothing is sent twice except attempts in flight at a fault or requested ones', () => {
    expect(unexplainedDoubles(campaign).slice(0, 10)).toEqual([]);
  });

  test('every signature verifies with the secrets of its time, by both libraries unmodified; no redirect is followed', () => {
    for (const { receiver } of Object.values(campaign.subscriptions)) {
      expect(receiver.secrets.faults().slice(0, 10)).toEqual([]);
      expect(receiver.misdirected()).toBe(0);
    }
  });

  test('replays and redeliveries make as many attempts as they reported; a replay counts the missed events', () => {
    for (const { id } of Object.values(campaign.subscriptions)) {
      const manual = campaign.ledger.filter(({ subscription }) => subscription === id);
      expect(manual.reduce((sum, entry) => sum + entry.manual, 0)).toBe(campaign.owner.asked(id));
    }
    const { delivered, replayed } = campaign.missed;
    expect(delivered + replayed).toBe(committed.length);
  });

  test('no receiver that answers is deactivated', () => {
    expect(campaign.states.steady).toMatchObject({ active: true });
    expect(campaign.states.moody).toMatchObject({ active: true });
  });
});
