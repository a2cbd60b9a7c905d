import { z } from 'zod';
import { documented } from '../documented.ts';
import { timestamp } from '../timestamps.ts';

/** Limits of exports and imports. Sizes are in bytes. */
export const importExport = {
  /** Maximum size of an uploaded file. Operators' commands have no maximum. */
  uploadBytes: 2_000_000_000,
  /** Maximum size of an uploaded file's content after unpacking. Operators transfer larger sites. */
  unpackedBytes: 20_000_000_000,
  /** Maximum size of one record in a file, with its escaping. */
  recordBytes: 8 * 1024 * 1024,
  /**
   * Limits of exports from other systems: number of records, files or records in memory, and characters of all file names
   * and paths.
   */
  max: { records: 1_000_000, remembered: 100_000, characters: 20_000_000 },
  /**
   * Concurrency quota of owners' exports and imports in one server process, because each needs disk space. `waiting`
   * is the number of waiting transfers of all sites; one site may have half. After `waitMs` milliseconds, a transfer
   * fails with `transfer_busy`.
   */
  atOnce: { inAll: 2, perSite: 1, waiting: 10, waitMs: 2_000 },
  /**
   * Maximum wait for a site that another process is transferring, in milliseconds. It is short, because waiting
   * occupies a slot of `atOnce`.
   */
  heldMs: 500,
  /** Lifetime of a transfer's URL, in milliseconds. */
  ticketMs: 60_000,
} as const;

/** Limits of exports from other systems, as in `importExport.max`. */
export type ImportMax = Readonly<Record<keyof typeof importExport.max, number>>;

/** Audience table that is exported as CSV. */
export type CsvKind = 'subscribers' | 'members';

/** Purpose of a ticket: the export of a site or audience table, the check of a file, or its import. */
export type TransferKind = 'export' | CsvKind | 'check' | 'import';

/** Path below which the URLs of exports and imports (`TransferTicket`) begin. */
export const transfersPath = '/studio/moves';

/**
 * Publication state of imported posts and pages: as their source marks them, or drafts without a schedule.
 * Archives of this service ignore it.
 */
export const ImportMode = z.enum(['as-marked', 'drafts']);

export type ImportMode = z.infer<typeof ImportMode>;

/**
 * Limits of the questions about a list of people: numbers of questions and of values per question, and lengths in
 * characters. The answers are part of a URL.
 */
export const importQuestions = {
  max: { questions: 100, values: 20, answersCharacters: 6_000 },
  maxLength: { value: 500, column: 200 },
} as const;

const { max, maxLength } = importQuestions;

/** Values of a column that mean consent to email, or `ignore` for a column that does not decide about it. */
const ImportAnswer = z.union([
  z.literal('ignore'),
  z.strictObject({ may_mail: z.array(z.string().max(maxLength.value)).max(max.values * 5) }),
]);

/** Answers of the owner to the questions about columns, by the IDs of the questions. */
export const ImportAnswers = z
  .record(z.string().regex(/^q[0-9a-f]{12}(?:-\d{1,3})?$/, 'must be the id of a question'), ImportAnswer)
  .refine((answers) => encodeURIComponent(JSON.stringify(answers)).length <= max.answersCharacters, {
    error: `must have at most ${max.answersCharacters} characters in all`,
  });

export type ImportAnswers = z.infer<typeof ImportAnswers>;

/** Question about a column that may state who consented to email. Only the owner can answer it. */
export const ImportQuestion = z.object({
  id: z.string(),
  /** Name of the column in the file. */
  column: z.string(),
  /**
   * At most 20 distinct values of the column in file order, each with at most 500 characters. Case and outer blanks
   * do not distinguish values. An empty value means rows without one.
   */
  values: z.array(z.string()),
  /** True if the column has further values, or longer ones. */
  has_more_values: z.boolean().optional(),
});

export type ImportQuestion = z.infer<typeof ImportQuestion>;

export const ImportSettings = z.strictObject({
  mode: ImportMode.default('as-marked').describe(
    'Publication state of imported posts and pages: as the source marks them, or all as drafts. Archives of this service keep their states',
  ),
  answers: ImportAnswers.default({}).describe(
    'Answers to the questions that `check` gives about a list of people, by their ids: the values that mean consent to mail (`may_mail`), or `ignore`',
  ),
  fetch_media: z
    .boolean()
    .default(false)
    .describe('True to download images that an export references by their URL on the old site'),
});

/** URL for a single request, valid for a short time. Files are transferred there, because RPC cannot carry them. */
export const TransferTicket = z.strictObject({
  url: documented(z.string(), 'Path for a single request', `${transfersPath}/mb3k9x2a7f0q1zd/…`),
  expires_at: timestamp('Expiry time of the path'),
});

/** Result of one record of an import. */
export const ImportedRecordReport = z.object({
  collection: z.string(),
  /** ID of the record in the source. */
  source_id: z.string(),
  /** ID of the record on the site; null if it was not created. */
  id: z.string().nullable(),
  title: z.string(),
  outcome: z.enum(['created', 'skipped', 'refused']),
  /** Reason why it was not created, or the differences from the source; null if there are none. */
  reason: z.string().nullable(),
});

export type ImportedRecordReport = z.infer<typeof ImportedRecordReport>;

/** Number of records by outcome. */
export const ImportCounts = z.record(ImportedRecordReport.shape.outcome, z.int());

export type ImportCounts = z.infer<typeof ImportCounts>;

/** Line of an import's response. The last line contains the counts, or the error that ended the import. */
export const ImportLine = z.union([
  z.object({ record: ImportedRecordReport }),
  z.object({ questions: z.array(ImportQuestion) }),
  z.object({ counts: ImportCounts }),
  z.object({
    error: z.object({
      code: z.string(),
      message: z.string(),
      fields: z.array(z.object({ path: z.string(), message: z.string() })).optional(),
    }),
  }),
]);

export type ImportLine = z.infer<typeof ImportLine>;
