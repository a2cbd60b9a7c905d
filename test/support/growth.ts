import { expect } from 'vitest';
import { slowness } from './slowness.ts';

/** Something that reads what others send, up to a size. */
export interface Reader<Input> {
  /** What is dear to read, of about so many characters or bytes. */
  make(size: number): Input;
  read(input: Input): unknown;
  /** The largest size that is read at all. */
  bound: number;
  /** Most CPU time for what is that large, in milliseconds. */
  mostMs: number;
}

/** So many times the time for four times the size is more than linear: by the square it would be 16. */
const mostGrowth = 10;

/** What takes less tells nothing of growth. */
const leastMs = 50;

/** Measurements in doubt are made again: what else a machine does makes some of them longer, never all. */
const tries = 8;

/**
 * Reads ever larger inputs, up to the bound. Throws where reading takes longer than it may, or more than grows with the
 * input: in time of the CPU, which a busy machine doesn't change.
 */
export async function expectLinear<Input>({ make, read, bound, mostMs }: Reader<Input>): Promise<void> {
  const sizes = [4 ** 4, 4 ** 3, 4 ** 2, 4, 1].map((part) => Math.ceil(bound / part));
  let before = { size: 0, ms: 0 };
  for (const size of sizes) {
    const input = make(size);
    const isFirst = before.size === 0;
    const isFine = (ms: number, slow = 1) =>
      ms <= slow * mostMs && (isFirst || ms < slow * leastMs || ms <= mostGrowth * before.ms);
    let ms = Number.POSITIVE_INFINITY;
    let slow = 1;
    for (let round = 0; round < tries && !isFine(ms, slow); round += 1) {
      const took = await cpuMsOf(read, input);
      if (took < ms) [ms, slow] = [took, isFine(took) ? 1 : slowness()];
    }
    const told = `${size}: ${ms.toFixed(1)} ms, after ${before.size}: ${before.ms.toFixed(1)} ms, ${slow.toFixed(1)} times as slow`;
    expect(isFine(ms, slow) ? 'linear' : told).toBe('linear');
    before = { size, ms: Math.max(ms, leastMs / mostGrowth) };
  }
}

/** CPU time of this thread while an input is read; a refusal is an answer, too. */
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
