import { createHash } from 'node:crypto';
import {
  type ImportAnswers,
  type ImportQuestion,
  importQuestions as limits,
} from '../contract/features/import-export.ts';
import {
  activeStatus,
  consentName,
  inactiveStatus,
  mailTerm,
  maybeStatusColumns,
  neutralColumns,
  neutralPattern,
  no,
  nothing,
  optInColumns,
  optOutColumns,
  optOutPrefix,
  otherChannel,
  statusColumns,
  statusValue,
  yes,
  zero,
} from './consent-words.ts';
import { type CsvRow, columnName } from './csv-rows.ts';
import { parseTime } from './parse-time.ts';
import { SourceError } from './source-file.ts';

/**
 * Consent in lists of people.
 *
 * A person is mailed only if no column of the list indicates otherwise. Columns with known names and values are read by
 * rules. A column may look like consent by its name or values without any rule to read it. Such a column becomes a
 * question to the owner: the first pass collects its values, and the second pass needs the answer.
 */

/** Meaning of a column. `unknown` becomes a question if its values look like a status. */
type Kind = 'optOut' | 'optIn' | 'status' | 'maybeStatus' | 'question' | 'unknown';

/** Values of a column, collected over all files that have it. */
interface CollectedColumn {
  label: string;
  /** Distinct values in file order, by their comparable form. */
  values: Map<string, string>;
  hasMore: boolean;
  isRequested: boolean;
  /** Number of cells whose value was not in `values` when they were read. */
  others: number;
}

interface Column {
  at: number;
  id: string;
  name: string;
  kind: Kind;
  collected: CollectedColumn;
}

/**
 * Limits for columns without a known name: their number, stored characters of a value, and distinct values after which
 * a column cannot be a status.
 */
const unknown = { maxColumns: 5_000, maxValue: 100, maxOthers: 10_000 } as const;

export type Consent = ReturnType<typeof createConsent>;

/**
 * Creates a check whether people in a list may be mailed. Answers of the owner come first. `known` are names of
 * columns with another meaning. Its functions throw `SourceError` for a list with too many columns that may contain
 * consent.
 */
export function createConsent(answers: ImportAnswers, known: ReadonlySet<string>) {
  const all = new Map<string, CollectedColumn>();
  let header: readonly string[] | undefined;
  let consentColumns: readonly Column[] = [];
  let unknownColumns: ReadonlyMap<number, Column> = new Map();
  return {
    /** Returns the reason why a person may not be mailed; null for a person who may. Collects values for questions. */
    whyNoMail(row: Pick<CsvRow, 'header' | 'cells'>): string | null {
      if (row.header !== header) {
        header = row.header;
        const columns = columnsOf(row.header, known, all);
        consentColumns = columns.filter(({ kind }) => kind !== 'unknown');
        unknownColumns = new Map(
          columns.filter(({ kind }) => kind === 'unknown').map((column) => [column.at, column]),
        );
        if (consentColumns.length > limits.max.questions) throw tooMany();
      }
      let why: string | null = null;
      const judge = (column: Column, cell: string) => {
        observe(column, cell);
        why ??= whyByAnswer(answers[column.id], column, cell);
      };
      for (const column of consentColumns) judge(column, row.cells[column.at] ?? '');
      // Iterates over cells, not columns, so that a row costs only its own length.
      for (const [at, cell] of row.cells.entries()) {
        const column = unknownColumns.get(at);
        if (column) judge(column, cell);
      }
      return why;
    },
    /** Lists the columns of all rows read that only the owner can judge; empty if there are none. */
    questions(): ImportQuestion[] {
      const requested = [...all].filter(([, { isRequested }]) => isRequested);
      if (requested.length > limits.max.questions) throw tooMany();
      return requested.map(([id, { label, values, hasMore }]) => ({
        ...{ id, column: label, values: [...values.values()] },
        ...(hasMore && { has_more_values: true }),
      }));
    },
  };
}

/**
 * Returns the ID of the question about a column. It depends only on the name, so that an answer also applies to the
 * next file. `occurrence` counts columns with one name, from 1.
 */
export const questionIdOf = (column: string, occurrence = 1): string => {
  const hash = createHash('sha256').update(columnName(column)).digest('hex').slice(0, 12);
  return `q${hash}${occurrence > 1 ? `-${occurrence}` : ''}`;
};

function columnsOf(
  header: readonly string[],
  known: ReadonlySet<string>,
  all: Map<string, CollectedColumn>,
): Column[] {
  const occurrences = new Map<string, number>();
  const columns = header.flatMap((written, at): Column[] => {
    const name = columnName(written);
    const kind = kindOf(name);
    if (kind === 'neutral' || (known.has(name) && (kind === 'question' || kind === 'unknown'))) return [];
    const occurrence = (occurrences.get(name) ?? 0) + 1;
    occurrences.set(name, occurrence);
    const label = written.slice(0, limits.maxLength.column).toWellFormed() || `column ${at + 1}`;
    const id = questionIdOf(name, occurrence);
    const collected = all.get(id) ?? {
      label,
      values: new Map(),
      hasMore: false,
      isRequested: false,
      others: 0,
    };
    all.set(id, collected);
    return [{ at, id, name, kind, collected }];
  });
  if (all.size > unknown.maxColumns)
    throw new SourceError(`a list has more than ${unknown.maxColumns} columns`);
  return columns;
}

const tooMany = () =>
  new SourceError(
    `more than ${limits.max.questions} columns of the list may decide who gets mail: remove those that are not needed`,
  );

function kindOf(name: string): Kind | 'neutral' {
  if (optOutColumns.has(name) || name.startsWith(optOutPrefix)) return 'optOut';
  if (optInColumns.has(name)) return 'optIn';
  if (statusColumns.has(name)) return 'status';
  if (maybeStatusColumns.has(name)) return 'maybeStatus';
  if (neutralColumns.has(name) || neutralPattern.test(name)) return 'neutral';
  if (otherChannel.test(name) && !mailTerm.test(name.replaceAll('sms marketing', 'sms'))) return 'neutral';
  return consentName.test(name) || consentName.test(name.replaceAll(' ', '')) ? 'question' : 'unknown';
}

const valueKey = (value: string): string => value.trim().normalize('NFC').toLowerCase();

function observe({ kind, collected }: Column, cell: string) {
  if (kind === 'optOut') return;
  const { values } = collected;
  const key = valueKey(cell);
  if (values.has(key)) return;
  collected.isRequested ||= isQuestion(kind, cell, collected.others);
  collected.others += 1;
  const maxValue = kind === 'unknown' ? unknown.maxValue : limits.maxLength.value;
  if (values.size >= limits.max.values || cell.length > maxValue) collected.hasMore = true;
  // Copied, because a slice would keep the file's whole text in memory.
  else values.set(key, Buffer.from(cell).toString());
}

/** Returns true if a value shows that only the owner can judge its column. */
function isQuestion(kind: Kind, cell: string, others: number): boolean {
  if (kind === 'question') return true;
  if (kind === 'optOut' || cell === '' || nothing.test(cell)) return false;
  if (kind === 'status' || kind === 'optIn') return meaningOf(kind, cell) === null;
  if (others > unknown.maxOthers || cell.length > unknown.maxValue || /^[\d\s.:/+-]+$/.test(cell))
    return false;
  const isKnown = (part: string) => inactiveStatus.has(part) || activeStatus.has(part);
  return cell
    .split(/[,;|]/)
    .map(columnName)
    .some((part) => statusValue.test(part) && !(kind === 'maybeStatus' && isKnown(part)));
}

/** Returns true for a value that means consent to mail, false for a refusal, null for a value without a known meaning. */
function meaningOf(kind: 'status' | 'optIn', cell: string): boolean | null {
  const value = columnName(cell);
  if (activeStatus.has(value)) return true;
  if (inactiveStatus.has(value)) return false;
  const isNumber = /^\d$/.test(value);
  if (kind === 'status' && isNumber) return null;
  if (yes.has(value)) return true;
  if (no.has(value) || zero.test(cell)) return false;
  return kind === 'optIn' && parseTime(cell) && !/^\d{1,4}$/.test(cell) ? true : null;
}

const noMail = (column: string, value: string) =>
  `“${value}” in the column “${column}” means that this person gets no mail`;

function whyByRule({ kind, name }: Column, cell: string): string | null {
  const said = cell.slice(0, 50);
  if (kind === 'optOut') {
    const isOut = !nothing.test(cell) && !no.has(columnName(cell)) && !zero.test(cell);
    return isOut ? noMail(name, said) : null;
  }
  if (kind === 'maybeStatus') return inactiveStatus.has(columnName(cell)) ? noMail(name, said) : null;
  if (kind !== 'status' && kind !== 'optIn') return null;
  if (nothing.test(cell)) return `the column “${name}” has no value, so consent to mail is missing`;
  if (meaningOf(kind, cell)) return null;
  return noMail(name, said);
}

function whyByAnswer(answer: ImportAnswers[string] | undefined, column: Column, cell: string): string | null {
  if (!answer) return whyByRule(column, cell);
  if (answer === 'ignore') {
    // In a column with a known name, `ignore` applies only to values without a known meaning. Rules decide about the
    // others.
    const isUnreadable = column.kind === 'question' || isQuestion(column.kind, cell, 0);
    return isUnreadable ? null : whyByRule(column, cell);
  }
  const key = valueKey(cell);
  if (answer.may_mail.some((value) => valueKey(value) === key)) return null;
  const said = cell === '' ? 'people without a value' : `“${cell.slice(0, 50)}”`;
  return `you did not allow mail for ${said} in the column “${column.collected.label.slice(0, 50)}”`;
}
