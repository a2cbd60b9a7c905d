import { afterAll, expect, test } from 'vitest';
import { startMailingSite } from '../support/mailing-site.ts';
import { createMailingStates, noRecipients, sending } from '../support/mailing-states.ts';
import { refusal } from '../support/rpc.ts';

// Steps of mailings: owners pause, resume, cancel and retry them.

const app = await startMailingSite({ smtpUrl: 'smtp://127.0.0.1:1' });
afterAll(() => app[Symbol.asyncDispose]());
const { ownSite, stateOf, addCopies } = createMailingStates(app);

test('each step is allowed only in its states, and refused in all others', async () => {
  const { siteId, studio: own, post_id } = await ownSite();
  const { id } = await own.mailings.create.mutate({ post_id });
  const frozen = 'frozen_at = now(), prepared_at = now()';
  const at: Record<string, string> = {
    scheduled: `status = 'scheduled', frozen_at = null, prepared_at = null`,
    preparing: `status = 'preparing', frozen_at = null, prepared_at = null`,
    sending: `status = 'sending', ${frozen}`,
    paused: `status = 'paused', ${frozen}`,
    sent: `status = 'sent', ${frozen}`,
    cancelled: `status = 'cancelled', ${frozen}`,
  };
  await addCopies(siteId, id, { queued: 1, accepted: 1 });
  const steps = { pause: own.mailings.pause, resume: own.mailings.resume, retry: own.mailings.retry };
  const taken: string[] = [];
  for (const [status, set] of Object.entries(at))
    for (const [name, { mutate }] of Object.entries(steps)) {
      await stateOf(id, `${set}, pause_reason = null`);
      const refused = await mutate({ id }).then(
        () => null,
        () => refusal(mutate({ id })),
      );
      if (refused) expect(await refused).toMatchObject({ code: 'mailing_state' });
      else taken.push(`${name} ${status} → ${(await own.mailings.get.query({ id })).status}`);
    }
  expect(taken).toEqual([
    'pause preparing → paused',
    'pause sending → paused',
    'retry sending → sending',
    'resume paused → sending',
    'retry paused → paused',
    'retry sent → sent',
  ]);
  for (const status of ['sent', 'cancelled']) {
    await stateOf(id, at[status] ?? '');
    expect(await refusal(own.mailings.cancel.mutate({ id }))).toMatchObject({ code: 'mailing_state' });
  }
});

test('resuming prepares a mailing whose recipients are incomplete, and ends one without waiting recipients', async () => {
  const { siteId, studio: own, post_id } = await ownSite();
  const { id } = await own.mailings.create.mutate({ post_id });
  const resumed = async (set: string) => {
    await stateOf(id, set);
    expect(await own.mailings.resume.mutate({ id })).toEqual({ status: 'updated' });
    const { status, pause_reason, ended_at } = await own.mailings.get.query({ id });
    return { status, pause_reason, isOver: ended_at !== null };
  };
  const paused = `status = 'paused', pause_reason = 'by_owner', ended_at = null`;
  const goesOn = { pause_reason: null, isOver: false };
  expect(await resumed(`${paused}, frozen_at = null`)).toEqual({ status: 'preparing', ...goesOn });
  expect(await resumed(`${paused}, frozen_at = now()`)).toEqual({ status: 'preparing', ...goesOn });
  await addCopies(siteId, id, { queued: 1 });
  expect(await resumed(`${paused}, prepared_at = now()`)).toEqual({ status: 'sending', ...goesOn });
  await app.run(`update mailing_recipients set state = 'accepted', due_at = null where mailing_id = ?`, [id]);
  expect(await resumed(`${paused}, queued = 0, accepted = 1`)).toEqual({
    status: 'sent',
    pause_reason: null,
    isOver: true,
  });
});

test('cancelling skips all waiting recipients, keeps running attempts, and the counters match the states', async () => {
  const { siteId, post_id, studio: own } = await ownSite();
  const { id } = await own.mailings.create.mutate({ post_id });
  await stateOf(id, sending);
  await addCopies(siteId, id, { queued: 3, retrying: 2, sending: 1, unknown: 1, accepted: 4, refused: 1 });
  await app.run(`update mailing_recipients set due_at = now() where mailing_id = ? and state = 'unknown'`, [
    id,
  ]);
  expect(await own.mailings.cancel.mutate({ id })).toEqual({ status: 'updated' });
  expect(await own.mailings.get.query({ id })).toMatchObject({
    status: 'cancelled',
    pause_reason: null,
    ended_at: expect.any(Date),
    recipients: 12,
    counts: { ...noRecipients, skipped: 5, sending: 1, unknown: 1, accepted: 4, refused: 1 },
  });
  const counts = await app.counts(id);
  expect(counts?.are).toEqual(counts?.counted);
  const [waiting] = await app.run<{ states: string }>(
    `select string_agg(state, ',') as states from mailing_recipients where mailing_id = ? and due_at is not null`,
    [id],
  );
  expect(waiting).toEqual({ states: 'sending' });
});

test('cancelling and retrying a large mailing use several statements, and the counters match the states', async () => {
  const { siteId, post_id, studio: own } = await ownSite();
  const { id } = await own.mailings.create.mutate({ post_id });
  await stateOf(id, sending);
  await addCopies(siteId, id, { queued: 20_001, refused: 20_001 });
  const statements = async () => {
    const counts = await app.counts(id);
    expect(counts?.are).toEqual(counts?.counted);
    const text = `select state, count(*)::int as copies from mailing_recipients where mailing_id = ? group by state, cmin::text order by copies`;
    return app.run(text, [id]);
  };
  expect(await own.mailings.retry.mutate({ id })).toEqual({ retried: 20_001 });
  expect(await statements()).toEqual([
    { state: 'queued', copies: 1 },
    { state: 'queued', copies: 20_000 },
    { state: 'queued', copies: 20_001 },
  ]);
  await own.mailings.cancel.mutate({ id });
  expect(await statements()).toEqual([
    { state: 'skipped', copies: 2 },
    { state: 'skipped', copies: 20_000 },
    { state: 'skipped', copies: 20_000 },
  ]);
});

test('retrying sends refused and unconfirmed emails again, with `leave` only refused ones, and reopens a sent mailing', async () => {
  const { siteId, post_id, studio: own } = await ownSite();
  const fates = { refused: 2, unknown: 3, accepted: 1, skipped: 1 };
  const make = async (on_unknown: 'repeat' | 'leave') => {
    const { id } = await own.mailings.create.mutate({ post_id, on_unknown, again: true });
    await stateOf(id, `status = 'sent', frozen_at = now(), prepared_at = now(), ended_at = now()`);
    await addCopies(siteId, id, fates);
    return id;
  };
  const left = await make('leave');
  expect(await own.mailings.retry.mutate({ id: left })).toEqual({ retried: 2 });
  expect(await own.mailings.get.query({ id: left })).toMatchObject({
    status: 'sending',
    ended_at: null,
    counts: { ...noRecipients, queued: 2, unknown: 3, accepted: 1, skipped: 1 },
  });
  const repeated = await make('repeat');
  expect(await refusal(own.mailings.retry.mutate({ id: repeated }))).toMatchObject({
    code: 'mailing_state',
    message: expect.stringContaining('another mailing'),
  });
  expect(await own.mailings.get.query({ id: repeated })).toMatchObject({ status: 'sent', counts: fates });
  await own.mailings.cancel.mutate({ id: left });
  expect(await own.mailings.retry.mutate({ id: repeated })).toEqual({ retried: 5 });
  expect((await own.mailings.get.query({ id: repeated })).counts).toEqual({
    ...noRecipients,
    queued: 5,
    accepted: 1,
    skipped: 1,
  });
  const counts = await app.counts(repeated);
  expect(counts?.are).toEqual(counts?.counted);
  expect(await own.mailings.retry.mutate({ id: repeated })).toEqual({ retried: 0 });
});
