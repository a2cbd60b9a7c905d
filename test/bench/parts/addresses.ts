import { createOwner } from '../../../server/accounts/sites/owners.ts';
import type { Part } from '../bench.ts';
import { millis, type Row } from '../report.ts';
import { startService } from '../service.ts';
import { openOperator, seedSite } from '../site.ts';
import { quantile, setApart } from '../statistics.ts';

/** Maximum distance. Two samples of a thousand equal times differ by 0.07 in one of a hundred runs by chance. */
const max = 0.1;

const password = 'correct horse battery';

/** Checks whether the time of an answer reveals which addresses have an account. */
export const addresses: Part = async (bench) => {
  const databaseUrl = await bench.createDatabase('bench_addresses');
  await using operator = await openOperator(databaseUrl);
  const { siteId } = await seedSite(operator, 1);
  const email = 'ada@example.com';
  await createOwner(operator, siteId, { name: 'Ada Marsh', email, password });
  await using service = await startService(databaseUrl, { RATE_LIMIT_STRICT: 'off' });
  const timed = async (path: string, body: object) => {
    const startedAt = performance.now();
    const answer = await fetch(service.url + path, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    await answer.text();
    return { status: answer.status, tookMs: performance.now() - startedAt };
  };
  const row = async (
    work: string,
    path: string,
    { count, status, ...rest }: Asked,
  ): Promise<Omit<Row, 'part'>> => {
    const tookMs: Record<'known' | 'unknown', number[]> = { known: [], unknown: [] };
    for (let n = 0; n < count + 20; n++)
      for (const whose of n % 2 === 0 ? (['known', 'unknown'] as const) : (['unknown', 'known'] as const)) {
        const answer = await timed(path, {
          email: whose === 'known' ? email : `bea${n}@example.com`,
          ...rest,
        });
        if (answer.status !== status) throw new Error(`${path} answered ${answer.status}`);
        // The first requests run uncompiled code.
        if (n >= 20) tookMs[whose].push(answer.tookMs);
      }
    const is = setApart(tookMs.known, tookMs.unknown);
    const [known, unknown] = [quantile(tookMs.known, 0.5), quantile(tookMs.unknown, 0.5)];
    return {
      work: `${work}: how far its times set known addresses apart from unknown ones (0 to 1)`,
      target: `<= ${max}`,
      result: `${is.toFixed(3)} (p50 ${millis(known)} to ${millis(unknown)}, ${count} each)`,
      met: is <= max,
      values: { setApart: is, knownMs: known, unknownMs: unknown },
    };
  };
  return [
    await row('a link to choose a new password', '/api/admin/password-reset', { count: 1_000, status: 202 }),
    await row('signing in with a wrong password', '/api/admin/session', {
      count: 1_000,
      status: 401,
      password: 'incorrect horse',
    }),
  ];
};

interface Asked {
  count: number;
  status: number;
  password?: string;
}
