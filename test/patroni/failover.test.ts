/**
 * Fault rounds on three PostgreSQL servers with Patroni, two servers and two workers. One server and one worker connect
 * through HAProxy, the others by a list of hosts.
 *
 * Run `pnpm test:patroni` as root, with Debian's patroni, etcd-server, haproxy, iptables and postgresql-15. `ROUNDS` is the
 * number of rounds per fault, and `FAULTS` a comma-separated list of faults.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { readableAddress } from '../../shared/db/schema.ts';
import { testSecretKey } from '../support/app.ts';
import { startCountingReceiver } from '../support/counting-receiver.ts';
import { keepFile } from '../support/delivery-stage.ts';
import { eventually } from '../support/eventually.ts';
import { follow } from '../support/follower.ts';
import { createCaller } from '../support/http.ts';
import { startMailingSite } from '../support/mailing-site.ts';
import { createRandom, newSeed } from '../support/random.ts';
import { createClients, readLog, shownOf, titleOf } from '../support/registers.ts';
import { startServerProcess, withoutLimits } from '../support/server-process.ts';
import { databaseAt, migrateTemplate } from '../support/template-database.ts';
import { createCertificate } from '../support/tls-receiver.ts';
import { startWorkerProcess } from '../support/worker-process.ts';
import { isInstalled, startCluster } from './cluster.ts';
import { createLimitedKey, pollLimit } from './limited-key.ts';
import { createMailings, startSlowMailServer } from './mailings.ts';
import { createScheduler } from './schedules.ts';

/** Counters of a round that must be zero. */
const faulty = [
  ...(['lost', 'doubled', 'stale', 'webhooks missing', 'follower missed', 'over the limit'] as const),
  ...(['schedules missing', 'schedules doubled', 'schedules early'] as const),
  ...(['mails missing', 'mails doubled'] as const),
];

/** Time from `moment` to the first of `others` that is not earlier, in seconds. */
const waitSince = (timestamp: number, others: readonly number[]) =>
  Number(((Math.min(...others.filter((at) => at >= timestamp)) - timestamp) / 1_000).toFixed(1));

const times = Number(process.env.ROUNDS ?? 5);
const hook = {
  WEBHOOK_ALLOW_CIDRS: '127.0.0.0/8',
  WEBHOOK_TIMEOUT_MS: '3000',
  WEBHOOK_RETRY_SECONDS: '0.2,0.4,0.8,1.6,3.2',
};

if (!isInstalled) console.log('skipped: patroni, etcd, haproxy and iptables have to be installed, for root');

test.skipIf(!isInstalled)(
  'faults of a Patroni cluster lose no write, repeat none and return nothing stale',
  { timeout: 3_600_000 },
  async () => {
    await using stack = new AsyncDisposableStack();
    const cluster = stack.use(await startCluster());
    await migrateTemplate(cluster.proxied);
    const app = stack.use(await startMailingSite({ serverUrl: cluster.proxied }));
    app.clock.catchUp();
    // An installation's only site is served on every host. Mailings add more sites, so that this one needs a domain.
    await app.run("update sites set custom_domain = 'localhost' where id = ?", [app.siteId]);
    const key = await app.seed.key();
    const token = await app.seed.ownerToken();
    const certificate = await createCertificate();
    const receiver = stack.use(await startCountingReceiver(certificate));
    const publications = stack.use(await startCountingReceiver(certificate));
    const mailServer = stack.use(await startSlowMailServer());
    const environment = { ...hook, NODE_EXTRA_CA_CERTS: await keepFile(stack, certificate.cert) };
    const name = new URL(app.databaseUrl).pathname.slice(1);
    const urls = [databaseAt(cluster.proxied, name), databaseAt(readableAddress(cluster.listed), name)];
    const servers = [];
    for (const url of urls) {
      servers.push(
        stack.use(await startServerProcess(url, { ...withoutLimits, ...pollLimit, ...environment })),
      );
      const worker = { DATABASE_URL: url, SECRET_KEY: testSecretKey, SMTP_URL: mailServer.url };
      stack.use(await startWorkerProcess({ ...worker, ...environment }));
    }
    const baseUrls = servers.map(({ baseUrl }) => baseUrl);
    const [first = '', second = ''] = baseUrls;
    for (const body of [
      { url: receiver.url, events: ['content.updated'] },
      { url: publications.url, events: ['content.published'] },
    ])
      expect(await createCaller(first)('POST', '/api/admin/webhooks', { key: token, body })).toMatchObject({
        status: 201,
      });
    const mailings = createMailings(app, mailServer);
    await using follower = await follow(second, key);

    /**
     * Returns the durations of repeated writes, in ms. A new primary may accept one write, and then block until it has
     * another standby.
     */
    async function stallsAfter(old: string): Promise<number[]> {
      const stalls: number[] = [];
      for (const began = performance.now(); performance.now() < began + 8_000; await delay(20)) {
        const from = performance.now();
        await cluster.isWritable(old);
        stalls.push(performance.now() - from);
      }
      return stalls;
    }

    async function playRound(fault: keyof typeof cluster.strikes, round: number) {
      const old = await cluster.steady();
      const seed = newSeed();
      const since = new Date(Date.now() - 1_000).toISOString();
      const retries = { endWithinMs: 60_000, pauseMs: 50 };
      const clients = createClients({ key, random: createRandom(seed), baseUrls: () => baseUrls, retries });
      const slugs = [`round-${round}-a`, `round-${round}-b`];
      const answered = new Map<string, number>();
      const scheduler = createScheduler(app, `later-${round}`);
      const limited = createLimitedKey(await app.seed.key(), baseUrls);
      await limited.useUp();
      let isOver = false;
      const all: Promise<void>[] = [];
      for (const slug of slugs) {
        const created = await createCaller(first)('POST', '/api/v1/posts', {
          key,
          body: { slug, title: titleOf(slug, '0') },
        });
        const { id } = created.body as { id: string };
        let version = 0;
        const write = async (isRepeated: boolean) => {
          while (!isOver) {
            version += 1;
            const title = titleOf(slug, String(version));
            const answer = await clients.write({
              ...{ name: slug, wrote: String(version), method: 'PATCH', path: `/api/v1/posts/${id}` },
              ...{ body: { title }, isRepeated },
            });
            if (answer) answered.set(title, performance.now());
            await delay(10);
          }
        };
        const read = async (path: string) => {
          const once = clients.createReader({ path, shows: [slug] });
          while (!isOver) {
            await once();
            await delay(5);
          }
        };
        all.push(write(true), write(false), read(`/api/v1/posts/${slug}`), read(`/posts/${slug}`));
      }
      const schedule = async (baseUrl: string) => {
        const doneAt: number[] = [];
        while (!isOver) {
          if (await scheduler.schedule(baseUrl, token)) doneAt.push(performance.now());
          await delay(200);
        }
        return doneAt;
      };
      const loading = Promise.all(all);
      const scheduling = Promise.all(baseUrls.map(schedule));
      await mailings.begin(round);
      await delay(1_000);
      const mailed = mailings.taken(round);
      const writable = cluster.isWritable(old);
      const undo = await cluster.strikes[fault](old);
      await writable.finally(() => void delay(3_000).then(undo));
      const writableAt = performance.now();
      const [stalls] = await Promise.all([stallsAfter(old), limited.useUp()]);
      await cluster.steady();
      await delay(1_000);
      isOver = true;
      await loading;
      const [proxiedAt = [], listedAt = []] = await scheduling;
      const { titles: scheduled, counted: schedules } = await scheduler.settled();

      // A new key, because other keys have used a part of their poll limit.
      const logKey = await app.seed.key();
      const askLog = async ({ path }: { path: string }) => {
        const { body } = await createCaller(first)('GET', path, { key: logKey });
        return { text: JSON.stringify(body) };
      };
      const log = (await readLog(askLog, since)).map(({ title }) => title);
      const known = new Set(log);
      const own = (slug: string) => log.filter((title) => title.startsWith(`${slug} `));
      const contradictions = slugs.map((slug) =>
        clients.contradictionOf(
          slug,
          '0',
          own(slug).map((title) => shownOf(slug, title)),
        ),
      );
      const mine = slugs.flatMap(own);
      const isTold = (titles: readonly string[]) => mine.filter((title) => !titles.includes(title)).length;
      const toldBy = ({ arrivals }: typeof receiver) =>
        arrivals.filter(({ status }) => status === 200).map(({ title }) => title);
      const untold = () => {
        const published = toldBy(publications);
        return isTold(toldBy(receiver)) + scheduled.filter((title) => !published.includes(title)).length;
      };
      await eventually(() => untold() === 0, 60_000).catch(() => {});
      await eventually(() => isTold(follower.titles()) === 0, 60_000).catch(() => {});
      const { reads, writes, lost: refused, maxMs } = clients.counted;
      const result = {
        ...{ fault, round, reads, writes, refused },
        lost: [...answered.keys()].filter((title) => !known.has(title)).length,
        doubled: mine.length - new Set(mine).size,
        stale: contradictions.filter((found) => found !== null).length,
        'webhooks missing': untold(),
        'follower missed': isTold(follower.titles()),
        'over the limit': limited.over(),
        ...schedules,
        'mails before the fault': mailed,
        'longest request, s': Number((maxMs / 1_000).toFixed(1)),
        'first write after writable, s': waitSince(writableAt, [...answered.values()]),
        'database stood still, s': Number((Math.max(...stalls) / 1_000).toFixed(1)),
        'through HAProxy, s': waitSince(writableAt, proxiedAt),
        'by the list, s': waitSince(writableAt, listedAt),
      };
      console.log(JSON.stringify(result), JSON.stringify(contradictions.filter((found) => found !== null)));
      return result;
    }

    const faults = (process.env.FAULTS?.split(',') ??
      Object.keys(cluster.strikes)) as (keyof typeof cluster.strikes)[];
    const results = [];
    for (let round = 0; round < times * faults.length; round++) {
      const fault = faults[round % faults.length];
      if (fault) results.push(await playRound(fault, round));
    }
    await mailings.settled();
    const all = await Promise.all(
      results.map(async (result) => ({ ...result, ...(await mailings.accountsOf(result.round)) })),
    );
    console.table(all);
    expect(all.filter((result) => faulty.some((what) => result[what] > 0))).toEqual([]);
    expect(Math.max(...results.map((result) => result['longest request, s']))).toBeLessThan(10);
    // Subtracts the time in which PostgreSQL itself blocked writes, while it waited for a standby.
    const waits = all.map(
      (result) => result['first write after writable, s'] - result['database stood still, s'],
    );
    expect(Math.max(...waits)).toBeLessThan(3);
  },
);
