/** What became of one record of an import. */
export interface ImportedRecordReport {
  collection: string;
  /** What it is known by where it comes from. */
  source_id: string;
  /** Null for one that is not here. */
  id: string | null;
  title: string;
  outcome: 'created' | 'skipped' | 'refused';
  /** Why it is not here, or what of it is not as it was. */
  reason: string | null;
}

/** How many records came to each end. */
export type ImportCounts = Record<ImportedRecordReport['outcome'], number>;
