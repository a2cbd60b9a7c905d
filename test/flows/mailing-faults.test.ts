import { describe, expect, test } from 'vitest';
import { eventually } from '../support/eventually.ts';
import { type MailingSite, startMailingSite, startMailingWorker } from '../support/mailing-site.ts';
import { type RelayScript, startMisbehavingRelay } from '../support/misbehaving-relay.ts';
import { ownerClient } from '../support/rpc.ts';

// Outcomes of emails for each behavior of a mail server: docs/reference/mailing-states.md, docs/internals/testing.md#newsletters-under-faults.

const isLong = process.env.FAULTS === 'long';

/** Behavior of the mail server toward every third reader, once or always (`isForGood`), and the expected outcome. */
const faults: Record<
  string,
  { script: RelayScript; isForGood?: true; ends?: 'refused'; isUnconfirmed?: true }
> = {
  'answers 421': { script: { rcpt: '421 4.3.2 closing' } },
  'answers 450': { script: { rcpt: '450 4.2.0 later' } },
  'answers 451 after the dot': { script: { dot: '451 4.3.0 later' } },
  'answers 550': { script: { rcpt: '550 5.1.1 nobody' }, isForGood: true, ends: 'refused' },
  'answers 554 after the dot': { script: { dot: '554 5.6.0 no' }, isForGood: true, ends: 'refused' },
  'disconnects before 354': { script: { data: 'drop' } },
  'disconnects after 354': { script: { body: 'drop' }, isUnconfirmed: true },
  'disconnects after the dot': { script: { dot: 'drop' }, isUnconfirmed: true },
  'falls silent before 354': { script: { data: 'silence' } },
  'falls silent after the dot': { script: { dot: 'silence' }, isUnconfirmed: true },
  'accepts one email per second': { script: { takesMs: 1_000 } },
  'loses accepted emails': { script: { dot: 'drop', forgets: true }, isUnconfirmed: true },
  'closes each connection': { script: { leaves: true } },
};

const readers = 30;

/** Timeout for a silent server, and for other slow steps on a busy machine. */
const [silenceMs, patienceMs] = [1_500, 20_000];

// Both tests of a fault run concurrently, since they mostly wait for the mail server.
describe.for(Object.entries(faults))('a mail server that %s', ([name, fault]) => {
  const { script, isForGood, ends, isUnconfirmed } = fault;
  test.concurrent.for(['repeat', 'leave'] as const)(
    'newsletters with on_unknown "%s" end in the expected states, and no reader gets a second email except for an unconfirmed one',
    async (on_unknown) => {
      await using site = await startMailingSite();
      const met = new Set<string>();
      const current = new Map<string, RelayScript>();
      await using relay = await startMisbehavingRelay(
        (to) => current.get(to) ?? {},
        (to) => {
          const isStruck = Number(/\d+/.exec(to)) % 3 === 0 && (isForGood || !met.has(to));
          met.add(to);
          current.set(to, isStruck ? script : {});
        },
      );
      await checkEachCommit(site);
      await site.subscribe(Array.from({ length: readers }, (_, n) => `r${n}@example.com`));
      const isSilent = Object.values(script).includes('silence');
      const row = await mailThrough(site, relay, on_unknown, isSilent ? silenceMs : patienceMs);
      if (isLong) console.log(JSON.stringify({ fault: name, on_unknown, ...row }));

      const struck = readers / 3;
      const isLost = isUnconfirmed && on_unknown === 'leave';
      expect(row).toEqual({
        missing: 0,
        beyondUnconfirmed: 0,
        twice: isUnconfirmed && name.includes('dot') && on_unknown === 'repeat' ? struck : 0,
        doubts: isUnconfirmed ? struck : 0,
        states: {
          accepted: ends || isLost ? readers - struck : readers,
          ...(ends && { [ends]: struck }),
          ...(isLost && { unknown: struck }),
        },
      });
    },
  );
});

test.skipIf(!isLong)(
  'ten thousand readers get their email from a mail server with all temporary faults, and no unexpected second one',
  { timeout: 3_600_000 },
  async () => {
    await using site = await startMailingSite();
    const met = new Set<string>();
    const current = new Map<string, RelayScript>();
    const scripts = Object.values(faults).flatMap(({ script, ends }) =>
      ends || script.takesMs ? [] : [script],
    );
    await using relay = await startMisbehavingRelay(
      (to) => current.get(to) ?? {},
      (to) => {
        const at = Number(/\d+/.exec(to));
        current.set(to, at % 20 === 0 && !met.has(to) ? (scripts[(at / 20) % scripts.length] ?? {}) : {});
        met.add(to);
      },
    );
    await site.subscribe(Array.from({ length: 10_000 }, (_, n) => `r${n}@example.com`));
    for (const on_unknown of ['repeat', 'leave'] as const) {
      met.clear();
      relay.taken.length = 0;
      const row = await mailThrough(site, relay, on_unknown, silenceMs);
      console.log(JSON.stringify({ fault: 'all, at 1 of 20 of 10,000', on_unknown, ...row }));
      expect(row).toMatchObject({ missing: 0, beyondUnconfirmed: 0 });
      if (on_unknown === 'leave') expect(row.twice).toBe(0);
    }
  },
);

/** Sends a post to all readers with as many attempts as needed, and returns the outcomes. */
async function mailThrough(
  site: MailingSite,
  relay: Awaited<ReturnType<typeof startMisbehavingRelay>>,
  on_unknown: 'repeat' | 'leave',
  timeoutMs: number,
) {
  const { studio } = ownerClient(site.baseUrl, await site.seed.ownerToken(site.siteId));
  const { id: post } = await studio.posts.create.mutate({ title: 'News', content: 'As it is.' });
  const id = await site.mail(post, { on_unknown });
  await using _worker = await startMailingWorker(site, relay.url, { timeoutMs });
  await eventually(
    async () => {
      await site.passTime();
      const { status, sending } = await site.figures(id);
      return status === 'sent' && !sending;
    },
    isLong ? 1_200_000 : 90_000,
  );
  const taken = Map.groupBy(relay.taken, ({ to }) => to);
  const copies = (await site.copies(id)).map((copy) => ({
    ...copy,
    got: taken.get(copy.email)?.length ?? 0,
  }));
  const count = await site.counts(id);
  expect(count?.counted).toEqual(count?.are);
  return {
    missing: copies.filter(
      ({ got, state, doubts }) => got === 0 && state !== 'refused' && !(state === 'unknown' && doubts > 0),
    ).length,
    beyondUnconfirmed: copies.filter(({ got, doubts }) => got > (on_unknown === 'leave' ? 1 : 1 + doubts))
      .length,
    twice: copies.filter(({ got }) => got > 1).length,
    doubts: copies.reduce((sum, { doubts }) => sum + doubts, 0),
    states: count?.are,
  };
}

/** Adds a trigger by which the database refuses a commit if a mailing's counts differ from its recipients. */
async function checkEachCommit(site: MailingSite) {
  await site.run(`
    create function check_mailing() returns trigger language plpgsql as $$
    declare
      mailing text := coalesce(new.mailing_id, '');
      wrong bigint;
    begin
      select count(*) into wrong from mailings m, lateral (
        select count(*) as all_copies, count(*) filter (where state = 'queued') as queued,
          count(*) filter (where state = 'sending') as sending, count(*) filter (where state = 'retrying') as retrying,
          count(*) filter (where state = 'unknown') as unknown, count(*) filter (where state = 'accepted') as accepted,
          count(*) filter (where state = 'refused') as refused
        from mailing_recipients r where r.mailing_id = m.id
      ) c
      where m.id = mailing and (m.recipients, m.queued, m.sending, m.retrying, m.unknown, m.accepted, m.refused)
        is distinct from (c.all_copies, c.queued, c.sending, c.retrying, c.unknown, c.accepted, c.refused);
      if wrong > 0 then raise 'mailing % does not add up', mailing; end if;
      return null;
    end $$`);
  await site.run(`
    create constraint trigger check_mailing after insert or update on mailing_recipients
    deferrable initially deferred for each row execute function check_mailing()`);
}
