import { expect, test } from 'vitest';
import { testSecretKey } from '../support/app.ts';
import { eventually } from '../support/eventually.ts';
import { startMailingSite } from '../support/mailing-site.ts';
import { type RelayScript, startMisbehavingRelay } from '../support/misbehaving-relay.ts';
import { createRandom } from '../support/random.ts';
import { ownerClient } from '../support/rpc.ts';
import { startWorkerProcess } from '../support/worker-process.ts';

const isLong = process.env.FAULTS === 'long';
const size = isLong ? 5_000 : 300;
const kills = isLong ? 60 : 5;
const connections = 5;

/** What the server does to a recipient, the first times that one is named to it. */
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

test('workers that are killed while they mail through a server that fails: nobody gets more than one copy and their doubts, a kill leaves no more doubts than connections, and counts add up', {
  timeout: isLong ? 3_600_000 : 240_000,
}, async () => {
  const random = createRandom(Number(process.env.SEED ?? 7));
  const planned = new Map<string, RelayScript[]>();
  let begun = 0;
  let atRecipient = () => {};
  await using site = await startMailingSite();
  await using relay = await startMisbehavingRelay(
    (to) => {
      if (to === '') return {};
      const [script = {}] = planned.get(to) ?? [];
      return script;
    },
    (to) => {
      begun++;
      planned.get(to)?.shift();
      atRecipient();
    },
  );
  const addresses = Array.from({ length: size }, (_, n) => `r${n}@example.com`);
  for (const address of addresses) {
    const first = scripts[Math.floor(random() * scripts.length)] ?? {};
    planned.set(address, [{}, first]);
  }
  await site.subscribe(addresses);
  const { studio } = ownerClient(site.baseUrl, await site.seed.ownerToken(site.siteId));
  const post_id = (await studio.posts.create.mutate({ title: 'News', content: 'Hello' })).id;
  const id = await site.mail(post_id);
  const start = () =>
    startWorkerProcess({
      DATABASE_URL: site.databaseUrl,
      SECRET_KEY: testSecretKey,
      SMTP_URL: relay.url,
      SMTP_CONNECTIONS: String(connections),
      LOG_LEVEL: 'info',
    });

  for (let kill = 1; kill <= kills; kill++) {
    const worker = await start();
    const killAt = begun + Math.ceil(random() * (size / kills));
    const killed = new Promise<void>((resolve) => {
      atRecipient = () => {
        if (begun >= killAt) resolve(worker.kill());
      };
    });
    await Promise.race([killed, eventually(async () => (await site.figures(id)).status === 'sent')]);
    await worker.kill();
    atRecipient = () => {};
    await expectCountsAddUp();
    const { sending = 0 } = await site.figures(id);
    expect(Number(sending)).toBeLessThanOrEqual(connections);
    await site.endLeases();
    await site.passTime();
  }

  await using _worker = await start();
  await eventually(async () => {
    await site.passTime();
    return (await site.figures(id)).status === 'sent';
  }, 120_000);
  await expectCountsAddUp();
  const copies = await site.copies(id);
  expect(copies.length).toBe(size);
  const taken = Map.groupBy(relay.taken, ({ to }) => to);
  for (const { email, state, doubts } of copies) {
    const got = taken.get(email)?.length ?? 0;
    expect([email, got <= 1 + doubts]).toEqual([email, true]);
    if (state === 'accepted') expect([email, got >= 1]).toEqual([email, true]);
  }
  expect(copies.filter(({ state }) => state === 'accepted' || state === 'unknown')).toHaveLength(size);

  async function expectCountsAddUp() {
    const counted = await site.run<{ state: string; copies: number }>(
      `select state, count(*)::int as copies from mailing_recipients where mailing_id = ? group by state`,
      [id],
    );
    const { status: _, pause_reason: __, ...figures } = await site.figures(id);
    expect(figures).toEqual(Object.fromEntries(counted.map(({ state, copies }) => [state, copies])));
  }
});
