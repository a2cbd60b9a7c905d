import { comparableEmail } from '../../../../shared/contract/email.ts';
import { textOfCell } from '../../../../shared/contract/features/csv.ts';
import { type CsvRow, columnsIn, csvRows } from './csv-rows.ts';
import type { ForeignRecord, ForeignSite } from './foreign-record.ts';
import { momentOf } from './moments.ts';
import type { FileContent } from './source-file.ts';

/** What lists of people call their columns, in lower case and with spaces between words. */
const columns = {
  email: ['email', 'e mail', 'email address', 'e mail address', 'subscriber email'],
  name: ['name', 'full name', 'display name'],
  firstName: ['first name', 'firstname', 'fname', 'given name'],
  lastName: ['last name', 'lastname', 'lname', 'family name', 'surname'],
  created: [
    'created',
    'created at',
    'subscribed at',
    'signup date',
    'optin time',
    'confirm time',
    'date added',
    'creation date',
    'start date',
  ],
  status: ['status', 'subscription status', 'email status'],
  source: ['source'],
  lastSeen: ['last seen at'],
  tiers: ['access tiers'],
} as const;

/** A column that has anything but a no in it says that somebody gets no mail. */
const optedOut = [
  ...['unsubscribed', 'unsubscribed at', 'unsub time', 'opted out', 'opt out', 'email disabled'],
  ...['deleted at', 'cleaned at', 'clean time', 'bounced at', 'complained at'],
];

/** A column that has a no in it says so, too. */
const optedIn = ['subscribed', 'subscribed to emails', 'confirmed', 'consent'];

/** What the status of somebody who gets mail is called. */
const activeStatuses: ReadonlySet<string> = new Set(['', 'active', 'subscribed', 'confirmed', 'enabled']);

const no = /^(?:0|no|n|false|never)$/i;

/** Whether a file begins as a list of people does: its first line names a column of addresses. */
export function isPeopleList(beginning: string): boolean {
  const names = columnsIn(beginning.split(/[\r\n]/, 1).join('')).map(asWords);
  return columns.email.some((name) => names.includes(name));
}

const asWords = (name: string) => name.replace(/[_-]/g, ' ');

/**
 * A list of people as CSV, whoever wrote it: subscribers, or members where it says which tiers they hold. Who gets no mail
 * there gets none here.
 */
export function readPeople(content: FileContent): ForeignSite {
  return { source: 'csv', form: 'markdown', records: () => peopleIn(content), placesOf: () => [] };
}

async function* peopleIn(content: FileContent): AsyncGenerator<ForeignRecord> {
  const notes: string[] = [];
  let count = 0;
  for await (const row of csvRows(content(), (note) => notes.push(note), asWords)) {
    count += 1;
    const textOf = (name: string) => {
      const cell = row.get(name);
      return cell && textOfCell(cell);
    };
    const cells: CsvRow = { has: row.has, get: textOf };
    yield personOf(cells, count, notes.splice(0));
  }
}

const cellOf = (cells: CsvRow, names: readonly string[]): string =>
  names.map((name) => cells.get(name)).find(Boolean) ?? '';

function personOf(cells: CsvRow, count: number, notes: readonly string[]): ForeignRecord {
  const of = (column: keyof typeof columns) => cellOf(cells, columns[column]);
  const email = of('email');
  const name = of('name') || [of('firstName'), of('lastName')].filter(Boolean).join(' ');
  const isMember = columns.tiers.some((column) => cells.has(column));
  const about = {
    collection: isMember ? 'members' : 'subscribers',
    sourceId: comparableEmail(email) || `person ${count}`,
    title: email || name,
    created: momentOf(of('created')),
  };
  if (isMember) {
    const access_tiers = of('tiers').split(' ').filter(Boolean);
    const last_seen_at = momentOf(of('lastSeen'))?.toISOString() ?? null;
    return { ...about, notes, values: { email, name, status: of('status'), access_tiers, last_seen_at } };
  }
  const why = whyNoMail(cells, of('status'));
  if (why !== null) return { ...about, values: null, notes: [...notes, why], isLeftOut: true };
  return { ...about, notes, values: { email, name, source: of('source') || 'import' } };
}

/** Null for who gets mail. */
function whyNoMail(cells: CsvRow, status: string): string | null {
  if (!activeStatuses.has(status.toLowerCase())) return `gets no mail there: ${status.slice(0, 50)}`;
  const isOut = (name: string) => !no.test(cells.get(name) || 'no');
  const isNotIn = (name: string) => no.test(cells.get(name) ?? '');
  const column = optedOut.find(isOut) ?? optedIn.find(isNotIn);
  return column === undefined ? null : `gets no mail there: ${column} is ${cells.get(column)?.slice(0, 50)}`;
}
