import { comparableEmail } from '../../../../shared/contract/email.ts';
import type { Consent } from './consent.ts';
import { type CsvRow, csvRows } from './csv-rows.ts';
import type { FileTree } from './file-tree.ts';
import { type ForeignRecord, noted } from './foreign-record.ts';
import { momentOf } from './moments.ts';
import { unreadableRow } from './people-list.ts';

/** Who reads a publication: all have an account, who pays holds the tier of members, who wants no newsletter gets none. */
export async function* readerRecords(
  tree: FileTree,
  names: readonly string[],
  consent: Consent,
): AsyncGenerator<ForeignRecord> {
  const lists = new Set(names);
  for await (const file of tree.read(lists))
    for await (const row of csvRows(file.content()))
      yield row.fault === null ? noted(memberOf(row), row.note) : unreadableRow('members', row.fault, row);
  for await (const file of tree.read(lists))
    for await (const row of csvRows(file.content())) if (row.fault === null) yield subscriberOf(row, consent);
}

/** Columns of these lists that do not decide who may be mailed. */
export const readerColumns: ReadonlySet<string> = new Set([
  ...['email', 'name', 'active subscription', 'created at', 'start date', 'plan', 'stripe plan', 'expiry'],
]);

const isPaying = (row: CsvRow) =>
  row.get('active subscription')?.toLowerCase() === 'true' ||
  /^(?:paid|comp|gift|founding)/i.test(row.get('type') ?? '');

const readerOf = (row: CsvRow) => {
  const email = row.get('email') ?? '';
  return {
    sourceId: comparableEmail(email) || `line ${row.line}`,
    title: email,
    created: momentOf(row.get('created at') ?? row.get('start date')),
  };
};

function memberOf(row: CsvRow): ForeignRecord {
  const plan = row.get('plan') ?? '';
  return {
    collection: 'members',
    ...readerOf(row),
    values: {
      email: row.get('email') ?? '',
      name: row.get('name') ?? '',
      status: 'active',
      access_tiers: isPaying(row) ? ['members'] : [],
    },
    notes: isPaying(row) && plan ? [`Plan not imported: ${plan.slice(0, 50)}`] : [],
  };
}

function subscriberOf(row: CsvRow, consent: Consent): ForeignRecord {
  const about = { collection: 'subscribers', ...readerOf(row) };
  const why = consent.whyNoMail(row);
  if (why !== null) return { ...about, values: null, notes: [why], isLeftOut: true };
  return {
    ...about,
    values: { email: row.get('email') ?? '', name: row.get('name') ?? '', source: 'substack' },
  };
}
