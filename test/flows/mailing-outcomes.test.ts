import { Registry } from 'prom-client';
import { expect, test } from 'vitest';
import { measureMailings } from '../../worker/metrics.ts';
import { eventually } from '../support/eventually.ts';
import {
  isOver,
  ownerOf,
  sent,
  startMailingSite,
  startMailingWorker,
  until,
} from '../support/mailing-site.ts';
import { type RelayScript, startMisbehavingRelay } from '../support/misbehaving-relay.ts';

// Recorded outcomes of a mailing for each behavior of the mail server.

const fates: [string, RelayScript, 'repeat' | 'leave', object, number][] = [
  ['refused', { rcpt: '550 5.1.1 nobody' }, 'repeat', { status: 'sent', refused: 1 }, 0],
  ['refused after the dot', { dot: '554 5.6.0 no' }, 'repeat', { status: 'sent', refused: 1 }, 0],
  ['postponed', { rcpt: '451 4.3.0 later' }, 'repeat', { status: 'sending', retrying: 1 }, 0],
  ['postponed after the dot', { dot: '451 4.3.0 later' }, 'leave', { status: 'sending', retrying: 1 }, 0],
  ['lost before the server requested it', { data: 'drop' }, 'leave', { status: 'sending', retrying: 1 }, 0],
  ['unconfirmed', { dot: 'drop' }, 'repeat', { status: 'sending', unknown: 1 }, 1],
  ['unconfirmed and left so', { dot: 'drop' }, 'leave', { status: 'sent', unknown: 1 }, 1],
];

test.for(fates)(
  'an email that is %s has the documented status',
  async ([, script, on_unknown, figures, taken]) => {
    await using site = await startMailingSite();
    await using relay = await startMisbehavingRelay(() => script);
    const owner = await ownerOf(site);
    await site.subscribe(['ada@example.com']);
    await using _worker = await startMailingWorker(site, relay.url);
    const id = await owner.mail(await owner.write(), { on_unknown });
    const ended = await until(
      site,
      id,
      (now) =>
        now.status !== 'scheduled' &&
        !now.queued &&
        !now.sending &&
        !!now.status &&
        now.status !== 'preparing',
    );
    expect(ended).toEqual({ pause_reason: null, ...figures });
    expect(relay.taken.length).toBe(taken);
  },
);

test('an unconfirmed email is sent once more with the same Message-ID, and never a third time', async () => {
  await using site = await startMailingSite();
  await using relay = await startMisbehavingRelay(() => ({ dot: 'drop' }));
  const owner = await ownerOf(site);
  await site.subscribe(['ada@example.com']);
  await using _worker = await startMailingWorker(site, relay.url);
  const id = await owner.mail(await owner.write());
  await until(site, id, ({ unknown }) => unknown === 1);
  const waits = await site.run(
    `select due_at - now() between interval '9 min' and interval '10 min' as ten from mailing_recipients`,
  );
  expect(waits).toEqual([{ ten: true }]);
  await site.passTime();
  expect(await until(site, id, isOver)).toEqual({ status: 'sent', pause_reason: null, unknown: 1 });
  expect(await site.copies(id)).toMatchObject([{ state: 'unknown', doubts: 2, attempts: 2 }]);
  const ids = relay.taken.map(({ raw }) => /^Message-ID: (.*)$/m.exec(raw)?.[1]);
  expect([ids.length, new Set(ids).size]).toEqual([2, 1]);
});

test('a post that is no longer public pauses its mailing; a draft cancels it', async () => {
  await using site = await startMailingSite();
  const script: RelayScript = { mail: '450 4.2.0 later' };
  await using relay = await startMisbehavingRelay(() => script);
  const owner = await ownerOf(site);
  await site.subscribe(['ada@example.com']);
  await using _worker = await startMailingWorker(site, relay.url);
  const post = await owner.write();
  const id = await owner.mail(post);
  await until(site, id, ({ retrying }) => retrying === 1);
  await owner.studio.posts.update.mutate({ id: post, visibility: 'private' });
  delete script.mail;
  await site.passTime();
  expect(await until(site, id, ({ status }) => status === 'paused')).toEqual({
    status: 'paused',
    pause_reason: 'post_not_public',
    retrying: 1,
  });
  await owner.studio.posts.update.mutate({ id: post, visibility: 'public' });
  await site.run(`update mailings set status = 'sending', pause_reason = null where id = ?`, [id]);
  expect(await until(site, id, isOver)).toEqual(sent(1));
  const hidden = await owner.mail(await owner.write({ is_draft: true }));
  const cancelled = { status: 'cancelled', pause_reason: 'post_not_public' };
  expect(await until(site, hidden, ({ status }) => status === 'cancelled')).toEqual(cancelled);
});

test('more than ten refusals among the first two hundred pause a mailing', async () => {
  await using site = await startMailingSite();
  await using relay = await startMisbehavingRelay(() => ({ rcpt: '550 5.1.1 nobody' }));
  const owner = await ownerOf(site);
  await site.subscribe(Array.from({ length: 30 }, (_, n) => `r${n}@example.com`));
  await using _worker = await startMailingWorker(site, relay.url, { connections: 1 });
  const id = await owner.mail(await owner.write());
  expect(await until(site, id, ({ status }) => status === 'paused')).toEqual({
    status: 'paused',
    pause_reason: 'too_many_refused',
    refused: 11,
    queued: 19,
  });
});

test('ten policy refusals in a row pause the mailing', async () => {
  await using site = await startMailingSite();
  await using relay = await startMisbehavingRelay(() => ({ dot: '550 5.7.1 looks like spam' }));
  const owner = await ownerOf(site);
  await site.subscribe(Array.from({ length: 30 }, (_, n) => `r${n}@example.com`));
  await using _worker = await startMailingWorker(site, relay.url, { connections: 1 });
  const id = await owner.mail(await owner.write());
  expect(await until(site, id, ({ status }) => status === 'paused')).toMatchObject({
    pause_reason: 'refused_by_policy',
    refused: 10,
  });
});

test('an email whose worker died becomes unconfirmed when its lease has expired, or ends later than any new lease could', async () => {
  await using site = await startMailingSite();
  await using relay = await startMisbehavingRelay();
  const owner = await ownerOf(site);
  await site.subscribe(['ada@example.com']);
  const id = await owner.mail(await owner.write(), { on_unknown: 'leave' });
  const { url } = relay;
  const registry = new Registry();
  const onAttempt = measureMailings(registry, site.deps.database);
  await using _first = await startMailingWorker(site, url, { onAttempt });
  await until(site, id, isOver);
  await site.run(
    `update mailing_recipients set state = 'sending', due_at = now() + interval '1 hour', lease_until = now() + interval '1 hour'
     where mailing_id = ?`,
    [id],
  );
  await site.run(`update mailings set status = 'sending', accepted = 0, sending = 1 where id = ?`, [id]);
  expect(await until(site, id, isOver)).toEqual({ status: 'sent', pause_reason: null, unknown: 1 });
  expect(relay.taken).toHaveLength(1);
  const metrics = await eventually(async () => {
    const shown = await registry.metrics();
    return shown.includes('mailing_attempts_total{outcome="unknown"} 1') && shown;
  });
  expect(metrics).toContain('mailing_attempts_total{outcome="accepted"} 1');
  expect(metrics).toContain('mailing_oldest_waiting_seconds 0');
});
