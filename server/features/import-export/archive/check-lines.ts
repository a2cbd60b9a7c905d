import { type CheckedBatch, checkBatch } from '../check-batch.ts';
import type { LinesInput } from '../jobs.ts';
import { candidateOf } from './archived-line.ts';
import { required } from './carried.ts';

/** The records of lines of an archive, compared with their contract. */
export function checkLines({ name, lines, first }: LinesInput): CheckedBatch {
  const file = required(name);
  return checkBatch(
    file,
    lines.map((line, place) => candidateOf(file, line, first + place)),
  );
}
