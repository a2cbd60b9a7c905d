import type { ImportCounts, ImportedRecordReport } from '../../../shared/contract/moving.ts';
import type { MediaStore } from '../../../shared/media/store.ts';
import type { StoreDeps } from '../../kernel/deps.ts';
import type { Carried } from './carried.ts';
import type { OnProgress } from './snapshot.ts';

/** What sites are moved with. */
export type MovingDeps = StoreDeps & { media: MediaStore };

/** How an import is done. */
export interface ImportOptions {
  /** Tells what would become of each record, and changes nothing. */
  dryRun?: boolean;
  onRecord?: (record: ImportedRecordReport) => void;
  onProgress?: OnProgress;
  signal?: AbortSignal;
}

/** Where records go, and what the import remembers as it goes on. */
export interface Target {
  deps: MovingDeps;
  siteId: string;
  dryRun: boolean;
  /** The system that they come from; null for archives, whose records keep their ids. */
  source: string | null;
  signal: AbortSignal;
  onProgress: OnProgress;
  tell(record: ImportedRecordReport): void;
  counts: ImportCounts;
  /** Ids of those that others belong to and that would be there, were this no dry run. */
  planned: Map<string, Set<string>>;
  /** The highest number that a slug was given, by collection and slug. */
  numbers: Map<string, number>;
}

export function targetOf(
  deps: MovingDeps,
  siteId: string,
  source: string | null,
  { dryRun = false, onRecord = () => {}, onProgress = () => {}, signal }: ImportOptions,
): Target {
  const counts = { created: 0, skipped: 0, refused: 0 };
  return {
    deps,
    siteId,
    dryRun,
    source,
    signal: signal ?? new AbortController().signal,
    onProgress,
    counts,
    tell(record) {
      counts[record.outcome] += 1;
      onRecord(record);
    },
    planned: new Map(),
    numbers: new Map(),
  };
}

/** A record on its way. */
export interface Candidate {
  /** What it is known by where it comes from. */
  sourceId: string;
  title: string;
  /** All that is stored of it; null for one that is refused or skipped before anything is asked. */
  row: Record<string, unknown> | null;
  /** Why it is not taken, or what of it is not as it was. */
  reason?: string | undefined;
  /** It is left out on purpose, not for a fault. */
  isLeftOut?: boolean;
}

/** What follows records belongs to them, and is told of only when it could not be taken. */
export const isPart = ({ table }: Carried) => table === 'record_revisions' || table === 'imported_records';
