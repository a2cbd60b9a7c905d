import { AreaChart } from '@mantine/charts';
import '@mantine/charts/styles.css';
import { texts } from '../../texts/texts.ts';
import type { OwnAnalytics } from './rankings.ts';
import { dayName } from './time-table.tsx';

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
