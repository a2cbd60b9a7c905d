import type { Part } from '../bench.ts';
import { sendHostile } from '../hostile-requests.ts';
import { peakMegabytes, residentMegabytes } from '../processes.ts';
import { count } from '../report.ts';
import { startService } from '../service.ts';
import { openOperator, seedSite } from '../site.ts';

const maxMegabytes = 320;

/** Memory of the server process after 90 seconds of requests of all kinds, most of them invalid. */
export const hostile: Part = async (bench) => {
  const databaseUrl = await bench.createDatabase('bench_hostile');
  await using operator = await openOperator(databaseUrl);
  const { authorization } = await seedSite(operator, 1_000);
  await using service = await startService(databaseUrl);
  const seconds = bench.longSeconds * 1.5;
  const sent = await sendHostile(service.url, authorization, seconds);
  const megabytes = await residentMegabytes(service.pid);
  const peak = await peakMegabytes(service.pid);
  return [
    {
      work: `resident memory of the server after ${seconds} s of hostile requests`,
      target: `<= ${maxMegabytes} MB`,
      result: `${megabytes === null ? 'not told by this machine' : `${Math.round(megabytes)} MB`} (${peak === null ? '' : `at most ${Math.round(peak)} MB for a moment; `}${count(sent)} requests)`,
      met: megabytes === null ? null : megabytes <= maxMegabytes,
      values: { megabytes, peakMegabytes: peak, sent },
    },
  ];
};
