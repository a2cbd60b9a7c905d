import { ScrollArea } from '@mantine/core';
import { texts } from '../texts/texts.ts';
import { type Column, DataTable } from '../ui/data-table.tsx';
import { type Day, dayName } from './time-chart.tsx';

/** What the chart shows, as numbers, the latest day first. */
export function TimeTable({ days }: { days: readonly Day[] }) {
  const rows = days.map((day) => ({ ...day, id: day.date })).toReversed();
  return (
    <ScrollArea h={240} viewportProps={{ tabIndex: 0 }}>
      <DataTable label={texts.overview.overTime} rows={rows} columns={columns} />
    </ScrollArea>
  );
}

const columns: Column<Day & { id: string }>[] = [
  { label: texts.overview.day, cell: ({ date }) => dayName(date) },
  { label: texts.overview.views, align: 'end', cell: ({ views }) => views },
  { label: texts.overview.visitors, align: 'end', cell: ({ visitors }) => visitors },
];
