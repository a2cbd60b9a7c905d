import type {
  ImportAnswers,
  ImportMax,
  ImportMode,
  ImportQuestion,
} from '../../shared/contract/features/import-export.ts';
import {
  type FileReference,
  type NamedFiles,
  SourceError,
  type SourceKind,
} from '../../shared/importers/index.ts';
import { ApiError } from '../api/api-error.ts';
import { type Job, OverLimitError } from '../api/thread-pool.ts';
import type { CheckedBatch, LinesInput } from './check-batch.ts';
import type { TakenFiles } from './import-images.ts';
import type { FoundRecord } from './import-plan.ts';
import type { PlacingPlan } from './rewrite-record.ts';

/** Export of another system, with the options of its import. */
export interface SourceInput {
  file: FileReference;
  kind: SourceKind;
  mode: ImportMode;
  now: Date;
  /** True to also list images that are still on the old site. */
  isFetching: boolean;
  /** Answers of the owner to questions about a list of people. */
  answers?: ImportAnswers | undefined;
  max: ImportMax;
}

export interface ReadPart {
  source?: string;
  named?: NamedFiles | undefined;
  records: FoundRecord[];
  /** Questions on columns that only the owner can judge; set in the last item of the first pass. */
  questions?: ImportQuestion[];
}

/** Input of the second pass, which stores records by the plan. */
export interface PlacingInput extends Omit<SourceInput, 'isFetching'> {
  plan: PlacingPlan;
  files: TakenFiles;
}

/** Validated records of one collection and their number. The number is 0 while linked headings are collected. */
export interface CheckedRecords {
  collection: string;
  count: number;
  checked: CheckedBatch;
}

/** CPU time limit of a batch, in milliseconds. Ordinary batches take a few hundred. */
const batch = { queue: 'imports', cpuMs: 20_000 } as const;

export const findRecordsJob: Job<SourceInput, AsyncIterable<ReadPart>> = { name: 'find records', ...batch };
export const placeRecordsJob: Job<PlacingInput, AsyncIterable<CheckedRecords>> = {
  name: 'place records',
  ...batch,
};
export const checkLinesJob: Job<LinesInput, CheckedBatch> = { name: 'check lines', ...batch };

/**
 * Returns the error to throw for a failed read: `validation_failed` for a file that cannot be read, or that takes a
 * thread too much time or memory; otherwise `cause` itself.
 */
export function refused(cause: unknown): unknown {
  if (cause instanceof SourceError) return new ApiError('validation_failed', cause.message, { cause });
  return cause instanceof OverLimitError
    ? new ApiError(
        'validation_failed',
        `the file takes too much ${cause.message} to read: import it in parts`,
        { cause },
      )
    : cause;
}
