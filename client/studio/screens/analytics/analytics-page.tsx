import { AreaChart } from '@mantine/charts';
import {
  Button,
  Group,
  ScrollArea,
  SegmentedControl,
  SimpleGrid,
  Skeleton,
  Stack,
  Text,
  TextInput,
} from '@mantine/core';
import { IconDownload, IconX } from '@tabler/icons-react';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { OwnAnalyticsQuery } from '../../../../shared/contract/features/analytics.ts';
import { retentionDays } from '../../../../shared/contract/limits.ts';
import { keysOf } from '../../../../shared/contract/names-of.ts';
import { useApi } from '../../data/api.tsx';
import { queryOf } from '../../data/queries.ts';
import type { SearchParams } from '../../data/search-params.ts';
import { choicesOf } from '../../forms/input-props.ts';
import { useListAddress } from '../../records/list/use-list-page.ts';
import { codeOf } from '../../strings/errors.ts';
import { strings } from '../../strings/ui-strings.ts';
import { Failed } from '../../ui/pending.tsx';
import { Screen } from '../../ui/screen.tsx';
import classes from './analytics.module.css';
import { filters, type OwnAnalytics, Ranking, rankings, rankingsOf, saveCsv } from './rankings.tsx';
import '@mantine/charts/styles.css';
import { DataTable, type TableColumn } from '../../ui/data-table.tsx';

const { period, kinds, everything, ...labels } = strings.analytics;

const dayMs = 86_400_000;
const dayOf = (time: number) => new Date(time).toISOString().slice(0, 10);

/** Page with views and visitors of the period in its address, filtered by page, source or campaign. */
export default function AnalyticsPage() {
  const { studio } = useApi();
  const { param, change } = useListAddress();
  const names = keysOf(OwnAnalyticsQuery.unwrap().shape);
  const given = names.flatMap((name) => (param(name) ? [[name, param(name)]] : []));
  const question = OwnAnalyticsQuery.safeParse(Object.fromEntries(given)).data ?? {};
  const { data, error, refetch } = useQuery({
    ...queryOf(['analytics', question], studio.analytics.get, question),
    placeholderData: keepPreviousData,
  });
  if (codeOf(error) === 'insufficient_scope') {
    return (
      <Screen title={labels.title}>
        <Text c="dimmed">{labels.notIncluded}</Text>
      </Screen>
    );
  }
  const save = (
    <Button
      variant="default"
      leftSection={<IconDownload size={16} />}
      disabled={!data}
      onClick={() => data && saveCsv(data)}
    >
      {labels.asCsv}
    </Button>
  );
  return (
    <Screen title={labels.title} lead={labels.lead} actions={save}>
      {data && <Range {...data} onChange={change} />}
      <Group gap="xs" className={classes.filters}>
        {rankings.map((kind) => {
          const label = filters[kind].map(param).filter(Boolean).join(' · ');
          const none = Object.fromEntries(filters[kind].map((name) => [name, undefined]));
          return (
            label && (
              <Button
                key={kind}
                size="compact-sm"
                variant="light"
                rightSection={<IconX size={14} aria-hidden />}
                title={everything(label)}
                className={classes.filter}
                onClick={() => change(none)}
              >
                {kinds[kind].one}: {label}
              </Button>
            )
          );
        })}
      </Group>
      {error && !data && <Failed error={error} onRetry={refetch} />}
      {data ? <Shown analytics={data} /> : <Skeleton h={320} radius="lg" />}
    </Screen>
  );
}

interface RangeProps extends Pick<OwnAnalytics, 'period' | 'from' | 'to'> {
  onChange(search: SearchParams): void;
}

function Range({ period: chosen, from, to, onChange }: RangeProps) {
  const bounds = { min: dayOf(Date.now() - (retentionDays.views - 1) * dayMs), max: dayOf(Date.now()) };
  const own = (days: SearchParams) => onChange({ period: undefined, from, to, ...days });
  return (
    <Group gap="sm" align="end">
      <SegmentedControl
        aria-label={period}
        data={choicesOf(labels.periods)}
        value={chosen ?? ''}
        onChange={(value) => onChange({ period: value, from: undefined, to: undefined })}
      />
      {(['from', 'to'] as const).map((end) => (
        <TextInput
          key={end}
          type="date"
          aria-label={labels[end]}
          {...bounds}
          value={{ from, to }[end]}
          onChange={({ currentTarget: { value } }) => value && own({ [end]: value })}
        />
      ))}
    </Group>
  );
}

function Shown({ analytics }: { analytics: OwnAnalytics }) {
  const { total_views, unique_visitors, views_over_time, before } = analytics;
  const ranked = rankingsOf(analytics);
  return (
    <Stack gap={32}>
      <section className={classes.panel} aria-label={labels.overTime}>
        <Group gap={24} mb="lg" align="flex-start" wrap="nowrap">
          <Figure label={labels.views} now={total_views} before={before?.total_views} />
          <Figure label={labels.visitors} now={unique_visitors} before={before?.unique_visitors} />
        </Group>
        <TimeChart {...{ views_over_time, before }} />
        <details className={classes.table}>
          <summary>{labels.asTable}</summary>
          <TimeTable days={views_over_time} />
        </details>
      </section>
      <SimpleGrid cols={{ base: 1, md: 2 }} spacing={32}>
        {rankings.map((kind) => {
          const rows = ranked[kind];
          return rows && <Ranking key={kind} title={kinds[kind].title} rows={rows} />;
        })}
      </SimpleGrid>
    </Stack>
  );
}

const Figure = ({ label, now, before }: { label: string; now: number; before: number | undefined }) => (
  <div>
    <Text fz={13} c="dimmed">
      {label}
    </Text>
    <Text fz={26} fw={600} lh={1.3} className={classes.figure} component="div">
      {now.toLocaleString()}
    </Text>
    <Text fz={12.5} c="dimmed">
      {before !== undefined && (before > 0 ? labels.sinceBefore(now, before) : labels.noneBefore)}
    </Text>
  </div>
);

/** Chart of views and visitors by day, with the views of the previous period. The table below has the same numbers. */
function TimeChart({ views_over_time, before }: Pick<OwnAnalytics, 'views_over_time' | 'before'>) {
  const data = views_over_time.map((day, at) => ({
    ...day,
    date: dayName(day.date),
    before: before?.views_over_time[at]?.views,
  }));
  return (
    <div role="img" aria-label={labels.overTime}>
      <AreaChart
        h={240}
        data={data}
        dataKey="date"
        series={[
          ...(before
            ? [{ name: 'before', label: labels.viewsBefore, color: 'gray.5', strokeDasharray: '4 4' }]
            : []),
          { name: 'views', label: labels.views, color: 'var(--views)' },
          { name: 'visitors', label: labels.visitors, color: 'var(--visitors)' },
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

/** Formats a day (`YYYY-MM-DD`) in short form. */
const dayName = (date: string) => short.format(new Date(`${date}T00:00:00Z`));

/** Numbers of the chart, the latest day first. */
function TimeTable({ days }: { days: OwnAnalytics['views_over_time'] }) {
  const rows = days.map((day) => ({ ...day, id: day.date })).toReversed();
  return (
    <ScrollArea h={240} viewportProps={{ tabIndex: 0 }}>
      <DataTable label={labels.overTime} rows={rows} columns={dayColumns} />
    </ScrollArea>
  );
}

const dayColumns: TableColumn<Day>[] = [
  { label: labels.day, cell: ({ date }) => dayName(date) },
  { label: labels.views, align: 'end', cell: ({ views }) => views },
  { label: labels.visitors, align: 'end', cell: ({ visitors }) => visitors },
];
