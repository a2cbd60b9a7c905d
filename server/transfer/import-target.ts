import {
  type ImportAnswers,
  type ImportCounts,
  type ImportedRecordReport,
  type ImportMax,
  type ImportMode,
  type ImportQuestion,
  importExport,
} from '../../shared/contract/features/import-export.ts';
import type { Transaction } from '../../shared/db/config.ts';
import type { MediaStore } from '../../shared/media/store.ts';
import type { SecretBox } from '../../shared/runtime/secret-box.ts';
import type { TargetRule } from '../../shared/webhooks/index.ts';
import type { StoreDeps } from '../api/deps.ts';
import type { ThreadPool } from '../api/thread-pool.ts';
import { inTransaction } from '../api/transaction.ts';
import type { ArchiveTable } from './archive/archive-columns.ts';
import type { OnProgress } from './archive/snapshot.ts';

export interface ImportDeps extends StoreDeps {
  media: MediaStore;
  threadPool: ThreadPool;
  secrets: SecretBox;
  /** Origin of the service, to which no domain of a new site may belong; null if unknown. */
  publicUrl?: URL | null;
}

export interface ImportOptions {
  /** True to report the outcome of each record and change nothing. */
  dryRun?: boolean;
  /** True to apply the media limits of the site's plan. Owners' imports set it, operators' imports do not. */
  withinPlan?: boolean;
  /** Maximum unpacked size of an archive, in bytes. Operators have no limit. */
  maxBytes?: number;
  /** Limits of exports from other systems. Default: `importExport.max`. */
  max?: ImportMax;
  /** Publication state of posts and pages of other systems. Default: `as-marked`. */
  mode?: ImportMode;
  /** Rule for addresses from which images of the old site may be fetched, as for webhooks. Undefined to fetch none. */
  fetchImages?: TargetRule | undefined;
  /** Answers of the owner to questions about a list of people, by question ID. */
  answers?: ImportAnswers | undefined;
  /** Receives the questions about a list of people. A dry run ends after them unless all are answered. */
  onQuestions?: (questions: readonly ImportQuestion[]) => void;
  onRecord?: (record: ImportedRecordReport) => void;
  /**
   * Resolves when the receiver of reports accepts more. It is awaited after each batch, so that at most one batch of reports is
   * buffered.
   */
  untilTaken?: () => Promise<void>;
  onProgress?: OnProgress;
  signal?: AbortSignal;
  /** Records the import in the audit log, in the transaction of its first change. An import without changes is not recorded. */
  note?: ImportNote;
}

type ImportNote = (em: Transaction, about: { siteId: string }) => Promise<void>;

/** Destination of an import, with the state that it keeps in memory. */
export type ImportTarget = ReturnType<typeof targetOf>;

interface ImportIdentity {
  siteId: string;
  /** System of origin; null for archives, whose records keep their IDs. */
  source: string | null;
  /** Returns the IDs under which a record may have been imported before. Default: only its own. */
  idsOf?: (sourceId: string) => readonly string[];
}

/**
 * Creates the target of an import from its options. Without `signal`, the import cannot be aborted. All counts begin
 * at 0.
 */
export function targetOf(
  deps: ImportDeps,
  { siteId, source, idsOf = (id) => [id] }: ImportIdentity,
  { onRecord = () => {}, note, signal = new AbortController().signal, ...options }: ImportOptions,
) {
  const counts: ImportCounts = { created: 0, skipped: 0, refused: 0 };
  const { dryRun = false, withinPlan = false, fetchImages, max = importExport.max } = options;
  const { untilTaken = async () => {}, onProgress = () => {} } = options;
  return {
    ...{ deps, siteId, source, idsOf, signal, onProgress, untilTaken },
    ...{ dryRun, withinPlan, fetchImages, max, counts },
    report(record: ImportedRecordReport) {
      counts[record.outcome] += 1;
      onRecord(record);
    },
    /** Runs work that changes something in a transaction. */
    change: noted(deps, siteId, note),
    /** IDs of courses and modules that a dry run would have created, by table. */
    planned: new Map<string, Set<string>>(),
    /** Source IDs of records that a dry run would have created, by collection. */
    foreseen: new Map<string, Set<string>>(),
    /** Reasons for refusing records whose source ID was imported before with a different text, by collection and source ID. */
    conflicts: new Map<string, string>(),
    /** Highest number that was appended to a slug, by collection and slug. */
    numbers: new Map<string, number>(),
  };
}

function noted(deps: ImportDeps, siteId: string, note: ImportNote = async () => {}) {
  let isNoted = false;
  return async <T>(work: (em: Transaction) => Promise<T>): Promise<T> => {
    const result = await inTransaction(deps, siteId, async (em) => {
      const done = await work(em);
      if (!isNoted) await note(em, { siteId });
      return done;
    });
    isNoted = true;
    return result;
  };
}

export interface Destination {
  target: ImportTarget;
  table: ArchiveTable;
}

export interface Candidate {
  sourceId: string;
  title: string;
  /** Values to store; null for a record that is refused or skipped without a lookup. */
  row: Record<string, unknown> | null;
  /** Reason for refusing the record, or notes on values that differ from the source. */
  reason?: string | undefined;
  isExcluded?: boolean;
}

export const isRecord = ({ columns }: ArchiveTable) => 'id' in columns && 'revision' in columns;

/** True for revisions and import records, whose rows belong to a content record. An import reports them only if they are refused. */
export const isAttached = ({ table }: ArchiveTable) =>
  table === 'record_revisions' || table === 'imported_records';
