import { type Load, type Measure, measure } from './load.ts';
import { cpu, perSecond, times } from './report.ts';
import { median } from './statistics.ts';

type Rounds<N extends string> = Record<N, Measure>[];

/**
 * Measures several loads alternately (A B C, A B C, …), so that other work of the machine affects all of them. Ratios
 * are computed per round, and the result is their median.
 */
export async function compare<N extends string>(
  loads: Record<N, Load>,
  { rounds, seconds }: { rounds: number; seconds: number },
) {
  const names = Object.keys(loads) as N[];
  for (const name of names) await measure(loads[name], 2);
  const measured: Rounds<N> = [];
  for (let round = 0; round < rounds; round++) {
    const results: Partial<Record<N, Measure>> = {};
    for (const name of names) results[name] = await measure(loads[name], seconds);
    measured.push(results as Record<N, Measure>);
  }
  const values = (name: N, field: keyof Measure) => measured.map((round) => round[name][field] ?? Number.NaN);
  const medianOf = (name: N, field: keyof Measure) => median(values(name, field));
  /** Returns the median over the rounds of `a` divided by `b`. */
  const ratio = (a: N, b: N, field: keyof Measure = 'requestsPerSecond') => {
    const divisors = values(b, field);
    return median(values(a, field).map((value, at) => value / (divisors[at] ?? Number.NaN)));
  };
  return {
    median: medianOf,
    ratio,
    /** Creates the row that compares `name` with another load; without `least` it has no target. */
    row(work: string, name: N, { to, min }: { to: N; min?: number | undefined }) {
      const is = ratio(name, to);
      const [own, other] = [medianOf(name, 'requestsPerSecond'), medianOf(to, 'requestsPerSecond')];
      const [cpuMs, otherCpuMs] = [medianOf(name, 'cpuMs'), medianOf(to, 'cpuMs')];
      return {
        work,
        target: min === undefined ? '' : `>= ${times(min)}`,
        result: `${times(is)} (${perSecond(own)} to ${perSecond(other)}; CPU ${cpu(cpuMs)} to ${cpu(otherCpuMs)})`,
        met: min === undefined ? null : is >= min,
        values: { ratio: is, perSecond: own, cpuMs, otherPerSecond: other, otherCpuMs },
      };
    },
  };
}
