import { expect, test } from 'vitest';
import { testSecretKey } from '../support/app.ts';
import { eventually } from '../support/eventually.ts';
import { createCaller } from '../support/http.ts';
import { type MailingSite, startMailingSite } from '../support/mailing-site.ts';
import { type RelayScript, startMisbehavingRelay } from '../support/misbehaving-relay.ts';
import { createRandom, newSeed } from '../support/random.ts';
import { ownerClient } from '../support/rpc.ts';
import { startServerProcess } from '../support/server-process.ts';
import { timeLimits } from '../support/time-limits.ts';
import { startWorkerProcess } from '../support/worker-process.ts';

const isLong = process.env.FAULTS === 'long';
/** Number of readers of each of the two mailings. */
const size = isLong ? 3_000 : 120;
const victims = ['worker', 'relay', 'worker', 'server'] as const;
const kills = isLong ? 60 : victims.length;
const connections = 5;
const seed = Number(process.env.SEED ?? (isLong ? newSeed() : 7));

/** Behaviors of the mail server when it receives a recipient's address for the first time. */
const scripts: RelayScript[] = [
  {},
  {},
  {},
  { leaves: true },
  { rcpt: '450 4.2.0 later' },
  { rcpt: '421 4.3.2 closing' },
  { data: 'drop' },
  { body: 'drop' },
  { dot: 'drop' },
  { dot: '451 4.3.0 later' },
  { dot: '421 4.3.2 closing' },
];

test(`worker, server and mail server are killed while two mailings are sent: each reader gets one email plus at most one per unconfirmed attempt, with "leave" at most one, a kill leaves at most one unconfirmed attempt per connection, and counts are consistent (seed ${seed})`, {
  timeout: isLong ? 3_600_000 : timeLimits.test,
}, async () => {
  const random = createRandom(seed);
  const scriptOf = new Map<string, RelayScript>();
  const current = new Map<string, RelayScript>();
  let begun = 0;
  let onRecipient = () => {};
  await using site = await startMailingSite();
  await using relay = await startMisbehavingRelay(
    (to) => current.get(to) ?? {},
    (to) => {
      begun++;
      current.set(to, scriptOf.get(to) ?? {});
      scriptOf.delete(to);
      onRecipient();
    },
  );
  await noteLeases(site);
  const other = await site.seed.site({ subdomain: 'other' });
  const repeated = await begin(site.siteId, 'repeat');
  const left = await begin(other, 'leave');
  const mailings = [repeated, left];
  const key = await site.seed.key({ siteId: site.siteId, scopes: ['write'] });

  async function begin(siteId: string, on_unknown: 'repeat' | 'leave') {
    const addresses = Array.from({ length: size }, (_, n) => `${on_unknown}${n}@example.com`);
    for (const address of addresses)
      scriptOf.set(address, scripts[Math.floor(random() * scripts.length)] ?? {});
    await site.subscribe(addresses, siteId);
    const { studio } = ownerClient(site.baseUrl, await site.seed.ownerToken(siteId));
    const post = (await studio.posts.create.mutate({ title: 'News', content: 'As it was.' })).id;
    return { id: await site.mail(post, { on_unknown, site: siteId }), post };
  }

  const startWorker = () =>
    startWorkerProcess({
      DATABASE_URL: site.databaseUrl,
      SECRET_KEY: testSecretKey,
      SMTP_URL: relay.url,
      SMTP_CONNECTIONS: String(connections),
      LOG_LEVEL: 'info',
    });
  const startServer = () =>
    startServerProcess(site.databaseUrl, { PUBLIC_URL: site.baseUrl, RATE_LIMIT_NORMAL: 'off' });
  const isSent = async () => {
    const figures = await Promise.all(mailings.map(({ id }) => site.figures(id)));
    return figures.every(({ status }) => status === 'sent');
  };

  await using stack = new AsyncDisposableStack();
  let server = stack.use(await startServer());
  let worker = stack.use(await startWorker());
  /** Waits until the server received this many more addresses, or all emails are sent. */
  const moreAreNamed = async (copies: number) => {
    const target = begun + copies;
    await Promise.race([
      new Promise<void>((resolve) => {
        onRecipient = () => begun >= target && resolve();
      }),
      eventually(async () => {
        await site.passTime();
        return begun >= target || (await isSent());
      }),
    ]);
    onRecipient = () => {};
  };

  // The bodies must be stored before the post is edited.
  const areFrozen = async () =>
    (await site.run('select 1 from mailings where frozen_at is null')).length === 0;
  await eventually(areFrozen);

  for (let kill = 0; kill < kills; kill++) {
    const victim = victims[kill % victims.length];
    const body = { content: `As it is, ${kill}.` };
    const edit = createCaller(server.baseUrl)('PATCH', `/api/v1/posts/${repeated.post}`, { key, body }).catch(
      () => {},
    );
    await moreAreNamed(Math.ceil((random() * 2 * size) / kills));
    if (victim === 'server') {
      await server[Symbol.asyncDispose]();
      server = stack.use(await startServer());
    }
    if (victim === 'relay') {
      await relay.close();
      await site.passTime();
      await eventually(async () => (await isSent()) || (await isTriedInVain(site)));
      await relay.beginAgain();
    }
    if (victim === 'worker') {
      await worker.kill();
      await expectCountsAddUp(site, mailings);
      await site.endLeases();
      worker = stack.use(await startWorker());
    }
    await edit;
  }

  await eventually(async () => {
    await site.passTime();
    return isSent();
  });
  await expectCountsAddUp(site, mailings);
  // Maximum number of emails that a kill can leave unconfirmed, at the worst possible time.
  expect(await site.run('select max(leases) as max from leases_noted')).toEqual([{ max: connections }]);
  const taken = Map.groupBy(relay.taken, ({ to }) => to);
  expect(relay.taken.filter(({ raw }) => !raw.includes('As it was.'))).toEqual([]);
  const [page] = await site.run<{ content: string }>('select content from posts where id = ?', [
    repeated.post,
  ]);
  expect(page?.content).toMatch(/^As it is, /);
  for (const { id } of mailings) {
    const copies = await site.copies(id);
    const faults = copies.filter(({ email, state, doubts }) => {
      const got = taken.get(email)?.length ?? 0;
      const isMissing = got === 0 && (state !== 'unknown' || doubts === 0);
      const max = id === left.id ? 1 : 1 + doubts;
      return isMissing || got > max || (state !== 'accepted' && state !== 'unknown');
    });
    expect([copies.length, faults]).toEqual([size, []]);
    const doubts = copies.reduce((sum, copy) => sum + copy.doubts, 0);
    const twice = copies.filter(({ email }) => (taken.get(email)?.length ?? 0) > 1).length;
    const on_unknown = id === left.id ? 'leave' : 'repeat';
    if (isLong) console.log(JSON.stringify({ kills, on_unknown, missing: faults.length, twice, doubts }));
  }
});

/** Adds a trigger that records the number of leases after each update. */
async function noteLeases(site: MailingSite) {
  await site.run('create table leases_noted (leases integer)');
  await site.run(`
    create function note_leases() returns trigger language plpgsql as $$ begin
      insert into leases_noted select count(*) from mailing_recipients where lease_until > now();
      return null;
    end $$`);
  await site.run(
    'create trigger note_leases after update on mailing_recipients for each statement execute function note_leases()',
  );
}

/** Returns true if an email has just been postponed without an answer from the server. */
async function isTriedInVain(site: MailingSite) {
  const rows = await site.run(
    `select 1 from mailing_recipients where state = 'retrying' and reply_code is null and due_at > now() + interval '55 s' limit 1`,
  );
  return rows.length > 0;
}

async function expectCountsAddUp(site: MailingSite, mailings: readonly { id: string }[]) {
  for (const { id } of mailings) {
    const counts = await site.counts(id);
    expect(counts?.counted).toEqual(counts?.are);
  }
}
