import { sql } from 'kysely';
import { newToken } from '../../../server/api/access/credentials.ts';
import type { StoreDeps } from '../../../server/api/deps.ts';
import { hashSecret } from '../../../shared/runtime/secret-box.ts';
import type { Part } from '../bench.ts';
import { type Load, measure } from '../load.ts';
import { count, cpu, cpuMsEach, times } from '../report.ts';
import { startService } from '../service.ts';
import { openOperator, seedSite } from '../site.ts';
import { median } from '../statistics.ts';

const posts = 100;
const sales = { purchases: 100_000, memberships: 10_000 };
const connections = 20;
const max = 1.1;
/** Length of a round. Rounds are more and shorter than usual, because the difference is small. */
const roundSeconds = 2;

type Cost = { ms: number; perSecond: number };

/** Text that only members who may read the post receive. */
const secret = 'Only for buyers.';

/** Pages that a member opened by a purchase and by a membership: on a site with many sales of others, and without those. */
export const entitlements: Part = async (bench) => {
  await using stack = new AsyncDisposableStack();
  const start = async (name: string, others: typeof sales) => {
    const databaseUrl = await bench.createDatabase(name);
    const operator = stack.use(await openOperator(databaseUrl));
    const { siteId } = await seedSite(operator, posts);
    const cookies = await addMembers(operator, siteId);
    await addSales(operator, siteId, others);
    const service = stack.use(await startService(databaseUrl));
    return { service, cookies };
  };
  const many = await start('bench_sales', sales);
  const few = await start('bench_no_sales', { purchases: 0, memberships: 0 });
  const load = async ({ service: { url, pid }, cookies }: typeof many, buyer: keyof typeof cookies) => {
    const page = { url: `${url}/posts/post-5`, headers: { cookie: cookies[buyer] } };
    const shown = await (await fetch(page.url, { headers: page.headers })).text();
    if (!shown.includes(secret)) throw new Error(`${page.url} is closed to the buyer of a ${buyer}`);
    return { ...page, pid, connections };
  };
  /** CPU time of server and database for one page, in milliseconds. */
  const cost = async (page: Load) => {
    const before = await bench.databaseCpuSeconds();
    const { requestsPerSecond, cpuMs } = await measure(page, roundSeconds);
    const after = await bench.databaseCpuSeconds();
    const databaseMs = cpuMsEach(before, after, requestsPerSecond * roundSeconds);
    return { ms: (cpuMs ?? Number.NaN) + (databaseMs ?? Number.NaN), perSecond: requestsPerSecond };
  };
  const row = async (buyer: 'purchase' | 'membership') => {
    const pages = [await load(many, buyer), await load(few, buyer)] as const;
    for (const page of pages) await measure(page, roundSeconds);
    const measured: [own: Cost, other: Cost][] = [];
    for (let round = 0; round < 4 * bench.rounds; round++)
      measured.push([await cost(pages[0]), await cost(pages[1])]);
    const medianOf = (value: (round: [own: Cost, other: Cost]) => number) => median(measured.map(value));
    const is = medianOf(([own, other]) => own.ms / other.ms);
    const time = medianOf(([own, other]) => other.perSecond / own.perSecond);
    const [ms, otherMs] = [medianOf(([own]) => own.ms), medianOf(([, other]) => other.ms)];
    return {
      work: `CPU of server and database for a page that a ${buyer} opened, beside ${count(sales.purchases + sales.memberships)} sales, to that without`,
      target: `<= ${times(max)}`,
      result: `${times(is)} (${cpu(ms)} to ${cpu(otherMs)}; time ${times(time)})`,
      met: is <= max,
      values: { ratio: is, ms, otherMs, time },
    };
  };
  return [await row('purchase'), await row('membership')];
};

/** Puts a post behind the paywall, which one member bought, and to which another has a membership. Returns their cookies. */
async function addMembers({ database, clock, randomBytes }: StoreDeps, siteId: string) {
  const db = database.em.getKysely();
  const now = clock.now();
  await sql`
    update posts set access_tier = 'paid', content = ${`${secret}\n\n`} || content where site_id = ${siteId} and slug = 'post-5'`.execute(
    db,
  );
  const signIn = async (id: 'purchase' | 'membership') => {
    const token = newToken('svc_member_', siteId, randomBytes);
    await sql`
      insert into members (site_id, id, email, name, status, access_tiers, last_seen_at, created, updated)
      values (${siteId}, ${id}, ${`${id}@example.com`}, '', 'active', '{}', ${now}, ${now}, ${now})`.execute(
      db,
    );
    await sql`
      insert into member_sessions (site_id, id, member_id, token_hash, expires_at, created)
      values (${siteId}, ${id}, ${id}, ${hashSecret(token)}, ${now}::timestamptz + interval '1 day', ${now})`.execute(
      db,
    );
    return `member=${token}`;
  };
  await insertPurchases(siteId, sql`'purchase@example.com'`, 1).execute(db);
  await insertMemberships(siteId, sql`'membership@example.com'`, 1).execute(db);
  return { purchase: await signIn('purchase'), membership: await signIn('membership') };
}

/** Adds sales of all posts to others. Each buyer has two purchases. */
async function addSales({ database }: StoreDeps, siteId: string, { purchases, memberships }: typeof sales) {
  const db = database.em.getKysely();
  await insertPurchases(siteId, sql`'buyer-' || n / 2 || '@example.com'`, purchases).execute(db);
  await insertMemberships(siteId, sql`'buyer-' || n || '@example.com'`, memberships).execute(db);
  await sql`vacuum analyze`.execute(db);
}

type Expression = ReturnType<typeof sql>;

const insertPurchases = (siteId: string, email: Expression, rows: number) => sql`
  insert into purchases (site_id, id, buyer_email, content_type, content_id, amount, currency, provider, external_id, created, updated)
  select ${siteId}, 'p' || lpad(n::text, 7, '0') || left(md5(${email}), 7), ${email}, 'posts', lpad((n % 100 + 4)::text, 15, '0'),
    5, 'EUR', 'shop', 'p-' || n || ${email}, moment, moment
  from generate_series(1, ${rows}::integer) n, lateral (select timestamptz '2025-01-01' + n * interval '1 minute' as moment) at`;

const insertMemberships = (siteId: string, email: Expression, rows: number) => sql`
  insert into memberships (site_id, id, email, tiers, state, blocked, provider, external_id, open_until, trial_used, as_of, livemode, created, updated)
  select ${siteId}, 'm' || lpad(n::text, 7, '0') || left(md5(${email}), 7), ${email}, '{paid,members}', 'active', false, 'shop', 'm-' || n || ${email},
    now() + interval '1 year', false, moment, true, moment, moment
  from generate_series(1, ${rows}::integer) n, lateral (select timestamptz '2025-01-01' + n * interval '1 minute' as moment) at`;
