import { AreaChart } from '@mantine/charts';
import '@mantine/charts/styles.css';
import { ScrollArea } from '@mantine/core';
import { texts } from '../../texts/texts.ts';
import { DataTable, type TableColumn } from '../../ui/data-table.tsx';
import type { OwnAnalytics } from './rankings.tsx';

const { views, visitors, viewsBefore, overTime } = texts.analytics;

/** Views and visitors by day, over the views of as many days before. The same numbers stand in the table below it. */
export function TimeChart({ views_over_time, before }: Pick<OwnAnalytics, 'views_over_time' | 'before'>) {
  const data = views_over_time.map((day, at) => ({
    ...day,
    date: dayName(day.date),
    before: before?.views_over_time[at]?.views,
  }));
  return (
    <div role="img" aria-label={overTime}>
      <AreaChart
        h={240}
        data={data}
        dataKey="date"
        series={[
          ...(before
            ? [{ name: 'before', label: viewsBefore, color: 'gray.5', strokeDasharray: '4 4' }]
            : []),
          { name: 'views', label: views, color: 'var(--views)' },
          { name: 'visitors', label: visitors, color: 'var(--visitors)' },
        ]}
        curveType="linear"
        fillOpacity={0.08}
        withDots={false}
        withLegend
        accessibilityLayer={false}
        areaProps={{ isAnimationActive: false }}
        xAxisProps={{ minTickGap: 40 }}
        yAxisProps={{ allowDecimals: false, width: 40 }}
      />
    </div>
  );
}

type Day = OwnAnalytics['views_over_time'][number] & { id: string };

const short = new Intl.DateTimeFormat(undefined, { day: 'numeric', month: 'short', timeZone: 'UTC' });

/** A day, as `YYYY-MM-DD`, in few words. */
const dayName = (date: string) => short.format(new Date(`${date}T00:00:00Z`));

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
