import type { Row } from './report.ts';
import { times } from './report.ts';
import { rise, type Sample } from './soak-samples.ts';

/** Maximum ratio of memory over the last half. */
const maxGrowth = 1.05;
const maxMoreFiles = 2;

/** Tables that store rows for days. They grow with the writes, and are level if each write costs the same. */
const kept = new Set([
  'events',
  'webhook_deliveries',
  'webhook_attempts',
  'record_revisions',
  'trash',
  'trash_parts',
  'idempotency_keys',
]);

/** Size below which a table does not matter, in bytes. */
const leastBytes = 1_000_000;

/** Larger than `maxGrowth`, because tables grow in steps of pages. */
const maxKeptGrowth = 1.2;

/** Checks whether resources stayed level over the last half of a soak. */
export function judgeSoak(samples: readonly Sample[]): Omit<Row, 'part'>[] {
  const half = samples.slice(Math.floor(samples.length / 2));
  const tables = Object.keys(half.at(-1)?.tables ?? {});
  return [
    memoryRow('server', half, ({ serverMegabytes }) => serverMegabytes),
    memoryRow('worker', half, ({ workerMegabytes }) => workerMegabytes),
    filesRow('server', half, ({ serverFiles }) => serverFiles),
    filesRow('worker', half, ({ workerFiles }) => workerFiles),
    ...tables.flatMap((name) => tableRow(name, half)),
  ];
}

type Measure = (sample: Sample) => number | null;

const pointsOf = (half: readonly Sample[], measure: Measure) =>
  half.flatMap((sample) => {
    const value = measure(sample);
    return value === null ? [] : [{ at: sample.minute, value }];
  });

function memoryRow(who: string, half: readonly Sample[], measure: Measure) {
  const points = pointsOf(half, measure);
  const last = points.at(-1)?.value ?? Number.NaN;
  const growth = last / (last - rise(points));
  return {
    work: `resident memory of the ${who}, growth over the last half`,
    target: `<= ${times(maxGrowth)}`,
    result: `${times(growth)} (${Math.round(last)} MB)`,
    met: growth <= maxGrowth,
    values: { growth, megabytes: last },
  };
}

function filesRow(who: string, half: readonly Sample[], measure: Measure) {
  const points = pointsOf(half, measure);
  const more = rise(points);
  return {
    work: `open files of the ${who}, more over the last half`,
    target: `<= ${maxMoreFiles}`,
    result: `${more.toFixed(1)} (${points.at(-1)?.value})`,
    met: more <= maxMoreFiles,
    values: { more, files: points.at(-1)?.value ?? null },
  };
}

function tableRow(name: string, half: readonly Sample[]) {
  const bytes: Measure = ({ tables }) => (tables[name]?.table ?? 0) + (tables[name]?.indexes ?? 0);
  const last = half.at(-1);
  const size = last ? (bytes(last) ?? 0) : 0;
  if (size < leastBytes) return [];
  return [kept.has(name) ? keptRow(name, half, bytes) : changingRow(name, half, bytes)];
}

function changingRow(name: string, half: readonly Sample[], bytes: Measure) {
  const points = pointsOf(half, bytes);
  const size = points.at(-1)?.value ?? Number.NaN;
  const growth = size / (size - rise(points));
  return {
    work: `${name} and its indexes, growth over the last half`,
    target: `<= ${times(maxGrowth)}`,
    result: `${times(growth)} (${(size / 1e6).toFixed(1)} MB)`,
    met: growth <= maxGrowth,
    values: { growth, size },
  };
}

/** Compares the bytes per write in the last quarter with those in the quarter before. */
function keptRow(name: string, half: readonly Sample[], bytes: Measure) {
  const middle = Math.floor(half.length / 2);
  const early = bytesOfWrite(half.slice(0, middle + 1), bytes);
  const late = bytesOfWrite(half.slice(middle), bytes);
  const growth = late / early;
  return {
    work: `${name} and its indexes, bytes of a write to those before`,
    target: `<= ${times(maxKeptGrowth)}`,
    result: `${times(growth)} (${Math.round(late)} bytes to ${Math.round(early)})`,
    met: growth <= maxKeptGrowth,
    values: { growth, late, early },
  };
}

function bytesOfWrite(part: readonly Sample[], bytes: Measure): number {
  const [first, last] = [part[0], part.at(-1)];
  if (!first || !last) return Number.NaN;
  return ((bytes(last) ?? 0) - (bytes(first) ?? 0)) / (last.writes - first.writes);
}
