import type {
  ImportAnswers,
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
import { type Job, OverLimitError } from '../api/offload.ts';
import type { CheckedBatch, LinesInput } from './check-batch.ts';
import type { TakenFiles } from './import-pictures.ts';
import type { PlacingPlan } from './place-record.ts';
import type { FoundRecord } from './plan.ts';

/** What another system gave away, and when it is read. */
export interface SourceInput {
  file: FileReference;
  kind: SourceKind;
  mode: ImportMode;
  now: Date;
  /** Pictures of the old site are wanted. */
  isFetching: boolean;
  /** Answers of the owner to questions about a list of people. */
  answers?: ImportAnswers | undefined;
}

export interface ReadPart {
  source?: string;
  named?: NamedFiles | undefined;
  records: FoundRecord[];
  /** With the last records: columns that only the owner can judge. */
  questions?: ImportQuestion[];
}

/** What is known by the time that records are stored. */
export interface PlacingInput extends Omit<SourceInput, 'isFetching'> {
  plan: PlacingPlan;
  files: TakenFiles;
}

/** Records of one collection, and how many they were. None while parts of records are found that links lead to. */
export interface CheckedRecords {
  collection: string;
  count: number;
  checked: CheckedBatch;
}

/** CPU time that a batch may take, in milliseconds: honest ones take some hundreds. */
const batch = { queue: 'imports', cpuMs: 20_000 } as const;

export const findRecordsJob: Job<SourceInput, AsyncIterable<ReadPart>> = { name: 'find records', ...batch };
export const placeRecordsJob: Job<PlacingInput, AsyncIterable<CheckedRecords>> = {
  name: 'place records',
  ...batch,
};
export const checkLinesJob: Job<LinesInput, CheckedBatch> = { name: 'check lines', ...batch };

/** Returns `validation_failed` for a file that cannot be read, or takes a thread too much time or memory; else `cause` itself. */
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
