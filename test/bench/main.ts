import { cpus, loadavg } from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { type Part, startBench } from './bench.ts';
import { addresses } from './parts/addresses.ts';
import { analytics } from './parts/analytics.ts';
import { attacks } from './parts/attacks.ts';
import { backups } from './parts/backups.ts';
import { cold } from './parts/cold.ts';
import { create } from './parts/create.ts';
import { deliveries } from './parts/deliveries.ts';
import { depth } from './parts/depth.ts';
import { entitlements } from './parts/entitlements.ts';
import { floods } from './parts/floods.ts';
import { history } from './parts/history.ts';
import { hostile } from './parts/hostile.ts';
import { moving } from './parts/import-export.ts';
import { indexing } from './parts/indexing.ts';
import { latency } from './parts/latency.ts';
import { limits } from './parts/limits.ts';
import { lists } from './parts/lists.ts';
import { mailings } from './parts/mailings.ts';
import { manySites } from './parts/many-sites.ts';
import { members } from './parts/members.ts';
import { memory } from './parts/memory.ts';
import { misses } from './parts/misses.ts';
import { neighbours } from './parts/neighbours.ts';
import { pages } from './parts/pages.ts';
import { read } from './parts/read.ts';
import { recovery } from './parts/recovery.ts';
import { replays } from './parts/replays.ts';
import { retries } from './parts/retries.ts';
import { schedule } from './parts/schedule.ts';
import { search, searchLarge } from './parts/search.ts';
import { processes } from './parts/several.ts';
import { site } from './parts/site.ts';
import { siteSearch } from './parts/site-search.ts';
import { sizesOfSites } from './parts/sizes.ts';
import { soak } from './parts/soak.ts';
import { start } from './parts/start.ts';
import { track } from './parts/track.ts';
import { waiting } from './parts/waiting.ts';
import { writers } from './parts/writers.ts';
import { printTable, type Row, updatePage, writeJson } from './report.ts';

const parts: Record<string, Part> = {
  misses,
  read,
  site,
  sites: manySites,
  cold,
  sizes: sizesOfSites,
  depth,
  pages,
  lists,
  search,
  'search-large': searchLarge,
  'site-search': siteSearch,
  neighbours,
  attacks,
  members,
  entitlements,
  addresses,
  analytics,
  track,
  create,
  writers,
  indexing,
  history,
  limits,
  several: processes,
  memory,
  moving,
  backups,
  hostile,
  start,
  deliveries,
  latency,
  retries,
  recovery,
  replays,
  schedule,
  waiting,
  mailings,
  floods,
};

/** Parts that run only if they are named, because they take hours. */
const byName: Record<string, Part> = { soak };

const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    quick: { type: 'boolean', default: false },
    json: { type: 'string' },
    page: { type: 'boolean', default: false },
    minutes: { type: 'string', default: '60' },
    rate: { type: 'string', default: '100' },
    postgres: { type: 'string', default: '18' },
    help: { type: 'boolean', default: false },
  },
});

const named = { ...parts, ...byName };
const unknown = positionals.filter((name) => !Object.hasOwn(named, name));
if (options.help || unknown.length > 0 || !['15', '18'].includes(options.postgres)) {
  console.log(
    `pnpm bench [part …] [--quick] [--json file] [--page] [--postgres 15 or 18] [--minutes 60] [--rate 100]\nparts: ${Object.keys(parts).join(', ')}`,
  );
  console.log('--page: write the figures of these parts into BENCHMARKS.md');
  console.log('only by name: soak, for so many minutes at so many writes a second');
  process.exit(options.help ? 0 : 1);
}

const sizes = {
  ...(options.quick
    ? { seconds: 4, rounds: 2, longSeconds: 15 }
    : { seconds: 8, rounds: 5, longSeconds: 60 }),
  soak: { minutes: Number(options.minutes), perSecond: Number(options.rate) },
};
const rows: Row[] = [];
const loadBefore = loadavg()[0];
{
  await using started = await startBench(options.postgres === '15', sizes);
  for (const [name, part] of Object.entries(positionals.length > 0 ? named : parts)) {
    if (positionals.length > 0 && !positionals.includes(name)) continue;
    console.error(`${name} …`);
    const measured = await part(started.bench).catch(failed);
    rows.push(...measured.map((row) => ({ part: name, ...row })));
  }
}
printTable(rows);
const file = options.json ?? path.resolve(import.meta.dirname, '../../.data/bench.json');
await writeJson(file, rows, {
  date: new Date().toISOString(),
  node: process.version,
  postgres: options.postgres,
  cpu: `${cpus().length} × ${cpus()[0]?.model}`,
  loadAverageBefore: loadBefore,
  ...sizes,
});
if (options.page) await updatePage(rows, Object.keys(named));
console.log(`\nAll figures: ${file}`);

/** Returns a missed target for a part that failed, so that the other parts still run. */
function failed(error: unknown): Awaited<ReturnType<Part>> {
  console.error(error);
  const result = error instanceof Error ? error.message : String(error);
  return [{ work: 'could not be measured', target: '', result, met: false, values: {} }];
}
