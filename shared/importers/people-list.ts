import { comparableEmail } from '../contract/email.ts';
import { textOfCell } from '../contract/features/csv.ts';
import type { ImportAnswers } from '../contract/features/import-export.ts';
import { type Consent, createConsent } from './consent.ts';
import { namesIn } from './consent-words.ts';
import { type CsvRow, columnsIn, csvRows } from './csv-rows.ts';
import { excluded, type ForeignRecord, type ForeignSite, noted, unreadable } from './foreign-record.ts';
import { parseTime } from './parse-time.ts';
import type { FileContent } from './source-file.ts';

/** Names that lists of people give their columns, as `columnName` makes them. */
const columns = {
  email: namesIn(`
    email, e mail, email address, e mail address, subscriber email, e mail adresse, email adresse,
    mail adresse, adresse e mail, adresse email, courriel, correo electronico, correo, endereco de email,
    indirizzo email, indirizzo e mail, e mailadres, メールアドレス, メール, eメール, 电子邮件, 이메일
  `),
  name: namesIn('name, full name, display name'),
  firstName: namesIn('first name, firstname, fname, given name, vorname, prenom, nombre, voornaam'),
  lastName: namesIn(`
    last name, lastname, lname, family name, surname, nachname, nom, apellidos, achternaam
  `),
  created: namesIn(`
    created, created at, subscribed at, signup date, optin time, confirm time, date added, creation date,
    start date, sign up time, subscription date, anmeldedatum, date d inscription, fecha de alta,
    fecha de suscripcion, data de inscricao, data de cadastro, data iscrizione, data di iscrizione, 登録日,
    登録日時
  `),
  status: namesIn('status'),
  source: namesIn('source'),
  lastSeen: namesIn('last seen at'),
  tiers: namesIn('access tiers'),
};

/** Columns of lists of people that do not decide who may be mailed. */
const otherColumns: ReadonlySet<string> = new Set(
  Object.entries(columns).flatMap(([of, names]) => (of === 'status' ? [] : [...names])),
);

/**
 * Returns whether a file is a list of people: its first line names a column of email addresses. `beginning` must
 * contain the whole first line.
 */
export function isPeopleList(beginning: string): boolean {
  const names = columnsIn(beginning);
  return names.some((name) => columns.email.has(name));
}

/**
 * Opens a CSV list of people: subscribers, or members if it has access tiers. Subscribers without consent to mail are
 * skipped. Reading its records throws `SourceError` if the first line is too long, or has too many columns that may
 * contain consent.
 */
export function readPeople(content: FileContent, answers: ImportAnswers = {}): ForeignSite {
  const consent = createConsent(answers, otherColumns);
  return {
    source: 'csv',
    form: 'markdown',
    records: () => peopleIn(content, consent),
    placesOf: () => [],
    questions: consent.questions,
  };
}

async function* peopleIn(content: FileContent, consent: Consent): AsyncGenerator<ForeignRecord> {
  for await (const row of csvRows(content()))
    yield row.fault === null ? personOf(row, consent) : unreadableRow('subscribers', row.fault, row);
}

/** Creates the report on a row that cannot be read, identified by its line. */
export const unreadableRow = (
  collection: string,
  fault: string,
  { line, raw, note }: CsvRow,
): ForeignRecord =>
  noted(unreadable({ collection, sourceId: `line ${line}`, title: raw.slice(0, 200) }, fault), note);

const cellOf = (row: CsvRow, names: ReadonlySet<string>): string =>
  textOfCell([...names].map((name) => row.get(name)).find(Boolean) ?? '');

function personOf(row: CsvRow, consent: Consent): ForeignRecord {
  const of = (column: keyof typeof columns) => cellOf(row, columns[column]);
  const email = of('email');
  const name = of('name') || [of('firstName'), of('lastName')].filter(Boolean).join(' ');
  const isMember = row.has('access tiers');
  const notes = row.note === null ? [] : [row.note];
  const about = {
    collection: isMember ? 'members' : 'subscribers',
    sourceId: comparableEmail(email) || `line ${row.line}`,
    title: email || name,
    created: parseTime(of('created')),
  };
  // Members have an account. Only subscribers are mailed.
  if (isMember) {
    const access_tiers = of('tiers').split(' ').filter(Boolean);
    const last_seen_at = parseTime(of('lastSeen'))?.toISOString() ?? null;
    return { ...about, notes, values: { email, name, status: of('status'), access_tiers, last_seen_at } };
  }
  const why = consent.whyNoMail(row);
  if (why !== null) return noted(excluded(about, why), row.note);
  return { ...about, notes, values: { email, name, source: of('source') || 'import' } };
}
