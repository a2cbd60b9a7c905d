import { Text, Title } from '@mantine/core';
import type { ImportedRecordReport } from '../../../../shared/contract/features/import-export.ts';
import { labelOf } from '../../strings/names.ts';
import { strings } from '../../strings/ui-strings.ts';
import { DataTable, nameColumn, type TableColumn } from '../../ui/data-table.tsx';
import { Dot } from '../../ui/dot.tsx';
import classes from './import-export.module.css';
import { outcomes, type Tally } from './imports.ts';

const labels = strings.importExport.import;

const shown = ['created', 'skipped', 'refused'] as const;

type Sum = { id: string } & Record<(typeof shown)[number], number>;

const sums: TableColumn<Sum>[] = [
  { label: labels.collection, cell: ({ id }) => labelOf(id.replace('.', '_')) },
  ...shown.map(
    (outcome): TableColumn<Sum> => ({
      label: labels.outcomes[outcome],
      align: 'end',
      cell: (sum) => <span className={classes.count}>{sum[outcome].toLocaleString()}</span>,
    }),
  ),
];

const tones = { created: 'good', skipped: 'off', refused: 'bad' } as const;

const problems: TableColumn<ImportedRecordReport & { id: string }>[] = [
  nameColumn(labels.collection, ({ title, source_id, collection }) => ({
    first: title || source_id,
    second: labelOf(collection.replace('.', '_')),
  })),
  {
    label: labels.problems,
    cell: ({ reason, outcome }) => (
      <div className={classes.reason}>
        <Dot tone={tones[outcome]} label={labels.outcomes[outcome]} />
        <Text fz="sm">{reason}</Text>
      </div>
    ),
  },
];

/** Report of a check or import: counts per collection, and the records with remarks. */
export function ImportReport({ title, tally }: { title: string; tally: Tally }) {
  const rows = [...tally.byCollection].map(([id, counts]) => ({ id, ...counts }));
  const notable = outcomes
    .flatMap((outcome) => tally.notable[outcome])
    .map((record, at) => ({ ...record, id: `${at}` }));
  return (
    <>
      <div>
        <Title order={3} fz={14} mb="xs">
          {title}
        </Title>
        <DataTable label={title} rows={rows} columns={sums} />
      </div>
      {notable.length > 0 && (
        <div>
          <Title order={3} fz={14} mb="xs">
            {labels.problems}
          </Title>
          <DataTable label={labels.problems} rows={notable} columns={problems} />
          {tally.notShown > 0 && (
            <Text fz="sm" c="dimmed" mt="xs">
              {labels.more(tally.notShown)}
            </Text>
          )}
        </div>
      )}
    </>
  );
}
