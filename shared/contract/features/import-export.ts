import { z } from 'zod';
import { documented } from '../documented.ts';
import { moment } from '../moments.ts';

/** Moving a site in and out. Sizes are in bytes. */
export const importExport = {
  /** Of a file that is sent to the server: an operator's command takes any. */
  uploadBytes: 2_000_000_000,
  /** Of what is packed in such a file. Sites whose plan has room for more than fits there are moved by operators. */
  unpackedBytes: 20_000_000_000,
  /** Of one record in a file: its texts, however they are escaped. */
  recordBytes: 8 * 1024 * 1024,
  /** Of what another system gave away: records; files, or posts and pages; characters of their names and addresses. */
  most: { records: 1_000_000, remembered: 100_000, characters: 20_000_000 },
  /** Exports and imports that owners began, in one server process: each takes room on the disk. */
  atOnce: { inAll: 2, perSite: 1, waiting: 10, waitMs: 2_000 },
  /** How long one waits for a site that another process moves. It holds up others of its own process meanwhile. */
  heldMs: 500,
  /** How long an address for one of them is good. */
  ticketMs: 60_000,
} as const;

/** People that are taken out as CSV. */
export type CsvKind = 'subscribers' | 'members';

/** What a ticket is for: to take a site or people out, to look at what a file would bring, or to bring it in. */
export type TransferKind = 'export' | CsvKind | 'check' | 'import';

/** Below it, a ticket is used. */
export const transfersPath = '/studio/moves';

/**
 * Publication state of imported posts and pages: as their source marks them, or drafts without a schedule. Archives of this
 * service ignore it.
 */
export const ImportMode = z.enum(['as-marked', 'drafts']);

export type ImportMode = z.infer<typeof ImportMode>;

/** Bounds of the questions about a list of people. The answers travel in an address. */
export const importQuestions = {
  most: { questions: 100, values: 20, answersCharacters: 6_000 },
  longest: { value: 500, column: 200 },
} as const;

const { most, longest } = importQuestions;

/** Values of a column that mean consent to mail, or `ignore` for a column that does not decide who gets mail. */
const ImportAnswer = z.union([
  z.literal('ignore'),
  z.strictObject({ may_mail: z.array(z.string().max(longest.value)).max(most.values * 5) }),
]);

/** Answers of the owner, by the ids of the questions. */
export const ImportAnswers = z
  .record(z.string().regex(/^q[0-9a-f]{12}(?:-\d{1,3})?$/, 'must be the id of a question'), ImportAnswer)
  .refine((answers) => encodeURIComponent(JSON.stringify(answers)).length <= most.answersCharacters, {
    error: `must have at most ${most.answersCharacters} characters in all`,
  });

export type ImportAnswers = z.infer<typeof ImportAnswers>;

/** A column of a list of people that may say who gets mail, and that only the owner can judge. */
export const ImportQuestion = z.object({
  id: z.string(),
  /** Name of the column, as the file has it. */
  column: z.string(),
  /** Different values of the column, an empty one included. */
  values: z.array(z.string()),
  /** There are more or longer values than `values` can have. */
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

/** An address that takes one request, soon: files come and go there, which RPC can't carry. */
export const TransferTicket = z.strictObject({
  url: documented(z.string(), 'Path for a single request', `${transfersPath}/mb3k9x2a7f0q1zd/…`),
  expires_at: moment('Expiry time of the path'),
});

/** What became of one record of an import. */
export const ImportedRecordReport = z.object({
  collection: z.string(),
  /** What it is known by where it comes from. */
  source_id: z.string(),
  /** Null for one that is not here. */
  id: z.string().nullable(),
  title: z.string(),
  outcome: z.enum(['created', 'skipped', 'refused']),
  /** Why it is not here, or what of it is not as it was. */
  reason: z.string().nullable(),
});

export type ImportedRecordReport = z.infer<typeof ImportedRecordReport>;

/** How many records came to each end. */
export const ImportCounts = z.record(ImportedRecordReport.shape.outcome, z.int());

export type ImportCounts = z.infer<typeof ImportCounts>;

/** A line of what an import tells as it goes on. The last one has the sums, or why it ended early. */
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
