import type {
  ImportAnswers,
  ImportCounts,
  ImportedRecordReport,
  ImportMode,
  ImportQuestion,
} from '../../shared/contract/features/import-export.ts';
import type { Transaction } from '../../shared/db/config.ts';
import type { MediaStore } from '../../shared/media/store.ts';
import type { SecretBox } from '../../shared/runtime/secret-box.ts';
import type { TargetRule } from '../../shared/webhooks/index.ts';
import type { StoreDeps } from '../api/deps.ts';
import type { Offload } from '../api/offload.ts';
import { inTransaction } from '../api/transaction.ts';
import type { Carried } from './archive/archive-columns.ts';
import type { OnProgress } from './archive/snapshot.ts';

export interface ImportDeps extends StoreDeps {
  media: MediaStore;
  offload: Offload;
  secrets: SecretBox;
  /** The service's own origin, for sites that are made; null where that is not known. */
  publicUrl?: URL | null;
}

export interface ImportOptions {
  /** Tells what would become of each record, and changes nothing. */
  dryRun?: boolean;
  /** Whether the site's plan has to take the media, as of an owner; operators are not bound by it. */
  withinPlan?: boolean;
  /** Most that an archive unpacks to, as of an owner; operators move sites of any size. */
  mostBytes?: number;
  /** Publication state of posts and pages of other systems; `as-marked` if not given. */
  mode?: ImportMode;
  /** Pictures are fetched from the old site, by the rules for addresses of webhooks. */
  fetchPictures?: TargetRule | undefined;
  /** Answers of the owner to questions about a list of people, by their ids. */
  answers?: ImportAnswers | undefined;
  /** Receives the questions about a list of people; a dry run ends after them unless all are answered. */
  onQuestions?: (questions: readonly ImportQuestion[]) => void;
  onRecord?: (record: ImportedRecordReport) => void;
  /** Resolves when whoever is told of records takes more; asked after each batch, so that no more than one waits. */
  untilTaken?: () => Promise<void>;
  onProgress?: OnProgress;
  signal?: AbortSignal;
  /** Notes who imports: in the transaction of the first change, so that none that changed nothing is noted. */
  note?: ImportNote;
}

type ImportNote = (em: Transaction, about: { siteId: string }) => Promise<void>;

/** Where records go, and what the import remembers as it goes on. */
export interface ImportTarget {
  deps: ImportDeps;
  siteId: string;
  dryRun: boolean;
  withinPlan: boolean;
  fetchPictures: TargetRule | undefined;
  /** The system that they come from; null for archives, whose records keep their ids. */
  source: string | null;
  /** The ids under which something may have been imported before. */
  idsOf(sourceId: string): readonly string[];
  signal: AbortSignal;
  onProgress: OnProgress;
  report(record: ImportedRecordReport): void;
  untilTaken(): Promise<void>;
  /** Does what changes something, in a transaction. */
  change<T>(work: (em: Transaction) => Promise<T>): Promise<T>;
  counts: ImportCounts;
  /** Ids of those that others belong to and that would be there, were this no dry run. */
  planned: Map<string, Set<string>>;
  /** What another system calls the records that would be there, were this no dry run, by collection. */
  foreseen: Map<string, Set<string>>;
  /** Why records are refused whose source ID was imported before with another text, by collection and source ID. */
  conflicts: Map<string, string>;
  /** The highest number that a slug was given, by collection and slug. */
  numbers: Map<string, number>;
}

export function targetOf(
  deps: ImportDeps,
  { siteId, source, idsOf = (id) => [id] }: Pick<ImportTarget, 'siteId' | 'source'> & Partial<ImportTarget>,
  { onRecord = () => {}, note, signal = new AbortController().signal, ...asked }: ImportOptions,
): ImportTarget {
  const counts = { created: 0, skipped: 0, refused: 0 };
  const { dryRun = false, withinPlan = false, fetchPictures } = asked;
  const { untilTaken = async () => {}, onProgress = () => {} } = asked;
  return {
    ...{ deps, siteId, source, idsOf, signal, onProgress, untilTaken },
    ...{ dryRun, withinPlan, fetchPictures, counts },
    report(record) {
      counts[record.outcome] += 1;
      onRecord(record);
    },
    change: noted(deps, siteId, note),
    planned: new Map(),
    foreseen: new Map(),
    conflicts: new Map(),
    numbers: new Map(),
  };
}

function noted(deps: ImportDeps, siteId: string, note: ImportNote = async () => {}): ImportTarget['change'] {
  let isNoted = false;
  return async (work) => {
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
  carried: Carried;
}

export interface Candidate {
  sourceId: string;
  title: string;
  /** All that is stored of it; null for one that is refused or skipped before anything is asked. */
  row: Record<string, unknown> | null;
  /** Why it is not taken, or what of it is not as it was. */
  reason?: string | undefined;
  isLeftOut?: boolean;
}

export const isRecord = ({ columns }: Carried) => 'id' in columns && 'revision' in columns;

/** What follows records belongs to them, and is told of only when it could not be taken. */
export const isPart = ({ table }: Carried) => table === 'record_revisions' || table === 'imported_records';
