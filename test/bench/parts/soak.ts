import { appendFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { Bench, Part } from '../bench.ts';
import { cpuSeconds } from '../processes.ts';
import { count } from '../report.ts';
import { seedSite } from '../site.ts';
import { judgeSoak } from '../soak-judgement.ts';
import { createLoad, followAlong } from '../soak-load.ts';
import { type Sample, takeSample } from '../soak-samples.ts';
import { startWebhooks } from '../webhooks.ts';

const followers = 5;
const subscriptions = 2;

const file = path.resolve(import.meta.dirname, '../../../.data/soak.jsonl');

/** Checks that memory, open files and tables stay level under a steady load of writes, deliveries, reads and followers. */
export const soak: Part = async (bench) => judgeSoak(await runSoak(bench));

async function runSoak(bench: Bench): Promise<Sample[]> {
  await using webhooks = await startWebhooks(bench, 'bench_soak');
  const { operator } = webhooks;
  const { siteId, authorization } = await seedSite(operator, 200);
  await webhooks.subscribe(siteId, subscriptions);
  const server = await webhooks.startServer();
  const worker = webhooks.startWorker();
  const target = { url: server.url, authorization };
  const load = createLoad(target, bench.soak.perSecond);
  const ending = new AbortController();
  const following = Array.from({ length: followers }, () => followAlong(target, ending.signal));
  const samples: Sample[] = [];
  await writeFile(file, '');
  try {
    for (let minute = 1; minute <= bench.soak.minutes; minute++) {
      const before = (await cpuSeconds(server.pid)) ?? 0;
      await load.run(60);
      const pids = { serverPid: server.pid, workerPid: worker.pid };
      const sample = await takeSample({ operator, ...pids }, minute, load.writes());
      samples.push(sample);
      await appendFile(file, `${JSON.stringify(sample)}\n`);
      const share = (((await cpuSeconds(server.pid)) ?? 0) - before) / 60;
      const failed = `${load.failures()} calls failed`;
      console.error(minuteLine(sample, await webhooks.received(), share), failed);
      // Empties the receivers' memory of arrivals.
      await webhooks.arrivals();
    }
  } finally {
    ending.abort();
    await Promise.all(following);
  }
  return samples;
}

const minuteLine = (sample: Sample, received: number, share: number) =>
  `minute ${sample.minute}: server ${Math.round(sample.serverMegabytes ?? 0)} MB and ${sample.serverFiles} files, ` +
  `worker ${Math.round(sample.workerMegabytes ?? 0)} MB and ${sample.workerFiles} files, ` +
  `${count(sample.writes)} writes, ${count(received)} deliveries, ${share.toFixed(2)} cores for the server,`;
