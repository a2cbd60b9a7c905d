import type {
  ImportCounts,
  ImportedRecordReport,
} from '../../../../shared/contract/features/import-export.ts';

type Outcome = ImportedRecordReport['outcome'];

/** In the order in which a person wants to know. */
export const outcomes: readonly Outcome[] = ['refused', 'created', 'skipped'];

/** Most records of each outcome that are shown one by one. */
const mostShown = 100;

/** What is known of an import so far. */
export interface Tally {
  records: number;
  counts: ImportCounts;
  byCollection: ReadonlyMap<string, ImportCounts>;
  /** Those that something is said of, the first of each outcome. */
  notable: Readonly<Record<Outcome, readonly ImportedRecordReport[]>>;
  /** How many more there are of these. */
  notShown: number;
}

const none: ImportCounts = { created: 0, skipped: 0, refused: 0 };

export const emptyTally: Tally = {
  records: 0,
  counts: none,
  byCollection: new Map(),
  notable: { created: [], skipped: [], refused: [] },
  notShown: 0,
};

/** Whether there is nothing in it but subscribers: nobody else says of them that they asked to be. */
export const isListOfPeople = ({ byCollection }: Tally): boolean =>
  byCollection.size === 1 && byCollection.has('subscribers');

/** Returns whether the file brings posts or pages of another system. Archives of this service report their site, too. */
export const hasForeignTexts = ({ byCollection }: Tally): boolean =>
  !byCollection.has('site') && ['posts', 'pages'].some((name) => (byCollection.get(name)?.created ?? 0) > 0);

/** The tally with these records, too. */
export function counted(tally: Tally, records: readonly ImportedRecordReport[]): Tally {
  const counts = { ...tally.counts };
  const byCollection = new Map(tally.byCollection);
  const notable = { ...tally.notable };
  let { notShown } = tally;
  for (const record of records) {
    const { collection, outcome, reason } = record;
    counts[outcome] += 1;
    const known = byCollection.get(collection) ?? none;
    byCollection.set(collection, { ...known, [outcome]: known[outcome] + 1 });
    if (reason === null) continue;
    if (notable[outcome].length < mostShown) notable[outcome] = [...notable[outcome], record];
    else notShown += 1;
  }
  return { records: tally.records + records.length, counts, byCollection, notable, notShown };
}
