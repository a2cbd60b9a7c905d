import type { Carried } from './archive/carried-row.ts';
import type { Pending } from './skip-rows.ts';
import { explain } from './sources/foreign-record.ts';
import type { Candidate } from './target.ts';

/** A batch of records, and what is wrong with those that their contract refuses. */
export interface CheckedBatch {
  sound: Pending[];
  refused: { candidate: Candidate; why: string }[];
}

/**
 * Compares records with their contract, without asking anybody: the next batch can be checked while one is stored. Of a
 * candidate only what it is called goes on.
 */
export function checkBatch({ contract }: Carried, candidates: readonly Candidate[]): CheckedBatch {
  const batch: CheckedBatch = { sound: [], refused: [] };
  for (const { row, ...about } of candidates) {
    const { reason = '' } = about;
    const candidate = { ...about, row: null };
    const result = row && contract.safeParse(row);
    if (result?.success) batch.sound.push({ candidate, row: result.data, notes: reason ? [reason] : [] });
    else batch.refused.push({ candidate, why: result ? `Not imported: ${explain(result.error)}` : reason });
  }
  return batch;
}
