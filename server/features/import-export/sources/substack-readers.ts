import { comparableEmail } from '../../../../shared/contract/email.ts';
import { type CsvRow, csvRows } from './csv-rows.ts';
import type { FileTree } from './file-tree.ts';
import type { ForeignRecord } from './foreign-record.ts';
import { momentOf } from './moments.ts';

/** Who reads a publication: all have an account, who pays holds the tier of members, who wants no newsletter gets none. */
export async function* readerRecords(
  tree: FileTree,
  names: readonly string[],
): AsyncGenerator<ForeignRecord> {
  for (const make of [memberOf, subscriberOf])
    for await (const file of tree.read(new Set(names)))
      for await (const row of csvRows(file.content())) {
        const record = make(row);
        if (record) yield record;
      }
}

const said = (row: CsvRow, name: string) => row.get(name)?.toLowerCase() === 'true';

const isPaying = (row: CsvRow) =>
  said(row, 'active_subscription') || /^(?:paid|comp|gift|founding)/i.test(row.get('type') ?? '');

const readerOf = (row: CsvRow) => {
  const email = row.get('email') ?? '';
  return {
    sourceId: comparableEmail(email),
    title: email,
    created: momentOf(row.get('created_at') ?? row.get('start date')),
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
    notes: isPaying(row) && plan ? [`plan left out: ${plan.slice(0, 50)}`] : [],
  };
}

/** Null for who wants no newsletter. */
function subscriberOf(row: CsvRow): ForeignRecord | null {
  if (said(row, 'email_disabled')) return null;
  const values = { email: row.get('email') ?? '', name: row.get('name') ?? '', source: 'substack' };
  return { collection: 'subscribers', ...readerOf(row), values };
}
