import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { sql } from 'kysely';
import { z } from 'zod';
import { createSite } from '../../../server/accounts/sites/store.ts';
import { newRecordId } from '../../../shared/contract/record-id.ts';
import { memorySettings } from '../../support/process.ts';
import type { Bench, Part } from '../bench.ts';
import { cpuSeconds, nextMessage, peakMegabytes, startProcess } from '../processes.ts';
import { count, cpu, cpuMsEach, perSecond, times } from '../report.ts';
import { openOperator, secretKey } from '../site.ts';

const readers = 10_000;
const many = 250_000;
const connections = 5;

/** Body of a post that takes some minutes to read. */
const content = Array.from(
  { length: 60 },
  (_, n) =>
    `## Part ${n}\n\n${'Words that somebody reads with their coffee, and *some* of them [linked](/posts). '.repeat(4)}\n`,
).join('\n');

const Port = z.object({ port: z.number() });
const Taken = z.object({ taken: z.number() });
const Pooled = z.object({ perSecond: z.number(), cpuMs: z.number() });

/**
 * Speed and CPU time of one worker that mails a post to a server that accepts everything, and its memory with many
 * readers. Compared with nodemailer's own pool.
 */
export const mailings: Part = async (bench) => {
  await using sink = startProcess(new URL('../processes/mail-sink.ts', import.meta.url), {});
  const { port } = Port.parse(await nextMessage(sink.child));
  const SMTP_URL = `smtp://127.0.0.1:${port}`;
  const plain = await mailTo(bench, { SMTP_URL, name: 'bench_mailings', readers });
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2_048 });
  const DKIM_KEY = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
  const signed = await mailTo(bench, { SMTP_URL, name: 'bench_mailings_dkim', readers, DKIM_KEY });
  const large = await mailTo(bench, { SMTP_URL, name: 'bench_mailings_many', readers: many });
  await using peer = startProcess(new URL('../processes/pooled-mailer.ts', import.meta.url), {
    SMTP_URL,
    CONNECTIONS: String(connections),
    MAILS: String(readers / 2),
    HTML: plain.html,
    TEXT: plain.text,
  });
  const pooled = Pooled.parse(await nextMessage(peer.child));
  sink.child.send('count');
  const { taken } = Taken.parse(await nextMessage(sink.child));
  const sent = plain.accepted + signed.accepted + large.accepted + readers / 2;
  const dkimMs = signed.cpuMs === null || plain.cpuMs === null ? null : signed.cpuMs - plain.cpuMs;
  const more =
    large.megabytes === null || plain.megabytes === null ? null : large.megabytes - plain.megabytes;
  const atMost = (value: number | null, max: number) => (value === null ? null : value <= max);
  return [
    {
      work: `a mail of ${Math.round((plain.html.length + plain.text.length) / 1_000)} KB prepared for ${count(readers)} readers`,
      target: '<= 5 s',
      result: `${(plain.preparedMs / 1_000).toFixed(1)} s`,
      met: plain.preparedMs <= 5_000,
      values: { preparedMs: plain.preparedMs },
    },
    {
      work: `copies by one worker to a server that takes any, ${connections} connections`,
      target: '>= 300/s',
      result: perSecond(plain.perSecond),
      met: plain.perSecond >= 300,
      values: { perSecond: plain.perSecond },
    },
    {
      work: 'CPU of the worker for one',
      target: '<= 1.20 ms',
      result: cpu(plain.cpuMs),
      met: atMost(plain.cpuMs, 1.2),
      values: { cpuMs: plain.cpuMs },
    },
    {
      work: 'the same with a signature, more than without',
      target: '<= 0.60 ms',
      result: `${cpu(dkimMs)} (${perSecond(signed.perSecond)})`,
      met: atMost(dkimMs, 0.6),
      values: { cpuMs: signed.cpuMs, perSecond: signed.perSecond },
    },
    {
      work: "copies a second, to those of nodemailer's pool, which remembers nothing",
      target: '>= 1.00 ×',
      result: `${times(plain.perSecond / pooled.perSecond)} (${perSecond(pooled.perSecond)}, ${cpu(pooled.cpuMs)} each)`,
      met: plain.perSecond >= pooled.perSecond,
      values: { pooledPerSecond: pooled.perSecond, pooledCpuMs: pooled.cpuMs },
    },
    {
      work: `most memory of the worker with ${count(many)} readers, more than with ${count(readers)}`,
      target: '<= 60 MB',
      result:
        more === null
          ? 'unknown'
          : `${more.toFixed(0)} MB (prepared in ${(large.preparedMs / 1_000).toFixed(0)} s)`,
      met: atMost(more, 60),
      values: { megabytes: large.megabytes, fewMegabytes: plain.megabytes, preparedMs: large.preparedMs },
    },
    {
      work: 'copies that the server took, of those that are accepted',
      target: 'all, once',
      result: `${count(taken)} of ${count(sent)}`,
      met: taken >= sent && taken <= sent + connections,
      values: { taken, sent },
    },
  ];
};

interface Mailed {
  SMTP_URL: string;
  name: string;
  readers: number;
  DKIM_KEY?: string;
}

/** Mails a post with a separate worker, until all is sent or the measurement's time is over. */
async function mailTo(bench: Bench, { SMTP_URL, name, readers, DKIM_KEY }: Mailed) {
  const databaseUrl = await bench.createDatabase(name);
  await using operator = await openOperator(databaseUrl);
  const db = operator.database.em.getKysely();
  const siteId = await createSite(operator, { name: 'Ada', plan: 'pro' });
  const [post, mailing] = [newRecordId(new Date(), randomBytes), newRecordId(new Date(), randomBytes)];
  await sql`
    insert into subscribers (site_id, id, email, name, source, status, soft_bounces, created)
    select ${siteId}, lpad(n::text, 15, '0'), 'reader' || n || '@example.com', '', '', 'active', 0, now() - interval '1 day'
    from generate_series(1, ${readers}::integer) n`.execute(db);
  await sql`
    insert into posts (site_id, id, title, slug, content, excerpt, visibility, is_draft, published_at, featured, tags, access_tier, cover, meta_title, meta_description, created, updated)
    values (${siteId}, ${post}, 'News', 'news', ${content}, 'What is new', 'public', false, now(), false, '{}', 'free', '', '', '', now(), now())`.execute(
    db,
  );
  await sql`vacuum analyze`.execute(db);
  const settings = {
    ...memorySettings,
    DATABASE_URL: databaseUrl,
    SECRET_KEY: secretKey,
    SMTP_URL,
    SMTP_CONNECTIONS: String(connections),
    ...(DKIM_KEY && { DKIM_KEY, DKIM_SELECTOR: 's1' }),
  };
  await using worker = startProcess(new URL('../../../worker/main.ts', import.meta.url), settings, 'ignore');
  await delay(3_000);
  await sql`
    insert into mailings (site_id, id, post_id, subject, preheader, audience, on_unknown, status, send_at, recipients, expected, queued,
      sending, retrying, unknown, accepted, refused, skipped, bounced, complained, refused_by_policy, refused_before, created, updated)
    values (${siteId}, ${mailing}, ${post}, '', '', '{}', 'repeat', 'scheduled', now(), 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, now(), now())`.execute(
    db,
  );
  const read = async () => {
    const { rows } = await sql<{
      status: string;
      accepted: number;
      prepared: number | null;
      html: string;
      text: string;
    }>`
      select status, accepted, open_html as html, open_text as text, (extract(epoch from prepared_at - send_at) * 1000)::float8 as prepared from mailings
      where id = ${mailing}`.execute(db);
    return rows[0] ?? { status: '', accepted: 0, prepared: null, html: '', text: '' };
  };
  let now = await read();
  while (now.prepared === null) {
    await delay(50);
    now = await read();
  }
  const preparedMs = now.prepared;
  const [startedAt, cpuBefore, before] = [performance.now(), await cpuSeconds(worker.pid), now.accepted];
  while (now.status !== 'sent' && performance.now() - startedAt < bench.longSeconds * 1_000) {
    await delay(100);
    now = await read();
  }
  const done = now.accepted - before;
  const rate = (done * 1_000) / (performance.now() - startedAt);
  const cpuMs = cpuMsEach(cpuBefore, await cpuSeconds(worker.pid), done);
  const megabytes = await peakMegabytes(worker.pid);
  await worker[Symbol.asyncDispose]();
  const { accepted, html, text } = await read();
  return { preparedMs, perSecond: rate, cpuMs, megabytes, accepted, html, text };
}
