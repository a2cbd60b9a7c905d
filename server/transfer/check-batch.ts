import { explain } from '../../shared/importers/index.ts';
import { safeParseJson } from '../../shared/runtime/parse-json.ts';
import type { ArchiveTable } from './archive/archive-columns.ts';
import { getArchiveTable } from './archive/archive-tables.ts';
import type { Candidate } from './import-target.ts';
import type { PendingRow } from './skip-rows.ts';

/** Valid records of a batch, and invalid ones with the reason. */
export interface CheckedBatch {
  sound: PendingRow[];
  refused: { candidate: Candidate; why: string }[];
}

/**
 * Validates records against their contract. Returns the valid rows, and the refused records with reasons. Uses no database,
 * so that the next batch can be validated while one is stored.
 */
export function checkBatch({ contract }: ArchiveTable, candidates: readonly Candidate[]): CheckedBatch {
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

export interface LinesInput {
  name: string;
  lines: readonly string[];
  first: number;
}

/**
 * Validates lines of an archive's file. `first` is the number of the first line, from 1. A line that is not a JSON
 * object is refused.
 */
export function checkLines({ name, lines, first }: LinesInput): CheckedBatch {
  const file = getArchiveTable(name);
  return checkBatch(
    file,
    lines.map((line, index) => candidateOf(file, line, first + index)),
  );
}

/**
 * Returns the record in a line of an archive, or the reason for refusing a line that is no JSON object. Lines are
 * counted from 1.
 */
function candidateOf({ key, label }: ArchiveTable, line: string, number: number): Candidate {
  const row = objectOf(line);
  if (!row)
    return {
      sourceId: `line ${number}`,
      title: '',
      row: null,
      reason: 'Not imported: the line is not a JSON object',
    };
  const sourceId = key.map((name) => shown(row[name])).join(' ');
  return { sourceId, title: shown(row[label]), row };
}

const shown = (value: unknown) => (typeof value === 'string' ? value.slice(0, 500) : String(value ?? ''));

function objectOf(line: string): Record<string, unknown> | null {
  const value = safeParseJson(line);
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : null;
}
