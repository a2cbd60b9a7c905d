import { parseJson } from '../../../../shared/parse-json.ts';
import { type CheckedBatch, checkBatch } from '../check-batch.ts';
import type { LinesInput } from '../jobs.ts';
import type { Candidate } from '../target.ts';
import { required } from './carried.ts';
import type { Carried } from './carried-row.ts';

/** The records of lines of an archive, compared with their contract. */
export function checkLines({ name, lines, first }: LinesInput): CheckedBatch {
  const file = required(name);
  return checkBatch(
    file,
    lines.map((line, place) => candidateOf(file, line, first + place)),
  );
}

/** The record of a line, if it is one; lines are counted from 1. */
function candidateOf({ key, label }: Carried, line: string, number: number): Candidate {
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
  try {
    const value: unknown = parseJson(line);
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : null;
  } catch {
    return null;
  }
}
