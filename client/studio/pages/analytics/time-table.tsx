import { ScrollArea } from '@mantine/core';
import { texts } from '../../texts/texts.ts';
import { DataTable, type TableColumn } from '../../ui/data-table.tsx';
import type { OwnAnalytics } from './rankings.ts';

type Day = OwnAnalytics['views_over_time'][number] & { id: string };

const short = new Intl.DateTimeFormat(undefined, { day: 'numeric', month: 'short', timeZone: 'UTC' });

/** A day, as `YYYY-MM-DD`, in few words. */
export const dayName = (date: string) => short.format(new Date(`${date}T00:00:00Z`));

/** What the chart shows, as numbers, the latest day first. */
export function TimeTable({ days }: { days: OwnAnalytics['views_over_time'] }) {
  const rows = days.map((day) => ({ ...day, id: day.date })).toReversed();
  return (
    <ScrollArea h={240} viewportProps={{ tabIndex: 0 }}>
      <DataTable label={texts.analytics.overTime} rows={rows} columns={columns} />
    </ScrollArea>
  );
}

const columns: TableColumn<Day>[] = [
  { label: texts.analytics.day, cell: ({ date }) => dayName(date) },
  { label: texts.analytics.views, align: 'end', cell: ({ views }) => views },
  { label: texts.analytics.visitors, align: 'end', cell: ({ visitors }) => visitors },
];
