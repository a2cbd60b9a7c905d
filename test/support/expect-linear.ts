import { expect } from 'vitest';

/**
 * Duration of matching `workOf` on an otherwise idle reference machine, in milliseconds. Limits of CPU time refer to
 * that machine.
 */
const usualMs = 10;

/** Text whose matching takes time proportional to the square of its length. */
const workOf = 'a'.repeat(5_000);

/**
 * Returns the factor by which work takes longer here and now, at least 1. Machines differ, and so does one machine
 * under load. Limits of CPU time are multiplied by it.
 */
export function slowness(): number {
  const took = [1, 2, 3].map(() => {
    const before = process.threadCpuUsage();
    /a*b/.test(workOf);
    const { user, system } = process.threadCpuUsage(before);
    return (user + system) / 1_000;
  });
  return Math.max(1, Math.min(...took) / usualMs);
}

/** Function that reads input of other people, up to a size. */
export interface Reader<Input> {
  /** Creates input that is expensive to read, with about `size` characters or bytes. */
  make(size: number): Input;
  read(input: Input): unknown;
  /** Maximum size that is read. */
  bound: number;
  /** Maximum CPU time for an input of that size, in milliseconds of a machine that nothing else uses. */
  maxMs: number;
}

/** Factor between one size and the next. */
const step = 4;

/** Maximum growth of the time per step: linear reading needs 4 times as long, quadratic reading 16 times. */
const maxGrowth = 10;

/** Minimum time that a growth is calculated from, in milliseconds of a machine that nothing else uses. */
const minMs = 50;

/** Number of measurements that decide a case that one measurement left open. The majority decides. */
const rounds = 5;

/**
 * Reads larger and larger inputs, up to the bound. Fails if reading takes more CPU time than allowed, or if the time grows
 * faster than the input.
 *
 * Other processes on the same cores make CPU time longer, sometimes for seconds. A time that looks too long is therefore
 * measured again in turns with the work it is compared with, so that both run under the same load.
 */
export async function expectLinear<Input>({ make, read, bound, maxMs }: Reader<Input>): Promise<void> {
  const sizes = [step ** 4, step ** 3, step ** 2, step, 1].map((part) => Math.ceil(bound / part));
  let smaller: { size: number; input: Input; ms: number } | undefined;
  for (const size of sizes) {
    const input = make(size);
    const ms = await cpuMsOf(read, input);
    if (ms > maxMs) {
      const usualMs = await decide(() => usualMsOf(read, input), maxMs);
      const result = usualMs <= maxMs ? 'in time' : `${size}: ${usualMs.toFixed(1)} ms`;
      expect(result).toBe('in time');
    }
    if (smaller && ms > maxGrowth * Math.max(smaller.ms, minMs / maxGrowth)) {
      const { size: smallerSize, input: smallerInput } = smaller;
      const growth = await decide(() => growthOf(read, smallerInput, input), maxGrowth);
      const result = growth <= maxGrowth ? 'linear' : `from ${smallerSize} to ${size}: ${growth.toFixed(1)}`;
      expect(result).toBe('linear');
    }
    smaller = { size, input, ms };
  }
}

/** Returns the CPU time of reading an input, in milliseconds, converted to a machine that nothing else uses. */
async function usualMsOf<Input>(read: (input: Input) => unknown, input: Input): Promise<number> {
  const before = slowness();
  const ms = await cpuMsOf(read, input);
  return ms / ((before + slowness()) / 2);
}

/** Calculates the growth of CPU time from a smaller to a larger input. Half of the smaller readings run before the larger one. */
async function growthOf<Input>(
  read: (input: Input) => unknown,
  smaller: Input,
  larger: Input,
): Promise<number> {
  const repeated = async () => {
    let ms = 0;
    for (let time = 0; time < step / 2; time += 1) ms += await cpuMsOf(read, smaller);
    return ms;
  };
  const before = await repeated();
  const ms = await cpuMsOf(read, larger);
  const smallerMs = (before + (await repeated())) / step;
  return ms / Math.max(smallerMs, (slowness() * minMs) / maxGrowth);
}

/** Measures until most of the rounds are on the same side of `max`, and returns the last measurement on that side. */
async function decide(measure: () => Promise<number>, max: number): Promise<number> {
  const [within, above]: [number[], number[]] = [[], []];
  while (true) {
    const measured = await measure();
    const side = measured <= max ? within : above;
    side.push(measured);
    if (side.length > rounds / 2) return measured;
  }
}

/** Returns the CPU time of this thread while an input is read, in milliseconds. Refused inputs count as read. */
async function cpuMsOf<Input>(read: (input: Input) => unknown, input: Input): Promise<number> {
  const before = process.threadCpuUsage();
  try {
    await read(input);
  } catch (error) {
    expect(error).toBeInstanceOf(Error);
  }
  const { user, system } = process.threadCpuUsage(before);
  return (user + system) / 1_000;
}
