import { Group, SegmentedControl, SimpleGrid, Skeleton, Stack, Text } from '@mantine/core';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { type Period, periods } from '../../../shared/contract/analytics.ts';
import { keysOf } from '../../../shared/contract/names-of.ts';
import { type ApiClient, isApiError, type OutputOf } from '../../sdk/index.ts';
import { useApi } from '../data/api.tsx';
import { texts } from '../texts/texts.ts';
import { Failed } from '../ui/failed.tsx';
import classes from './overview.module.css';
import { Ranking } from './ranking.tsx';
import { TimeChart } from './time-chart.tsx';
import { TimeTable } from './time-table.tsx';

type Analytics = OutputOf<ApiClient['studio']['analytics']['get']>;

const periodChoices = keysOf(periods).map((value) => ({
  value,
  label: texts.overview.periods[value],
}));

/** Who came, when, to which pages, and from where. */
export function Traffic() {
  const { studio } = useApi();
  const [period, setPeriod] = useState<Period>('30d');
  const analytics = useQuery({
    queryKey: ['analytics', period],
    queryFn: ({ signal }) => studio.analytics.get.query({ period }, { signal }),
    placeholderData: keepPreviousData,
  });
  if (isApiError(analytics.error) && analytics.error.data.code === 'insufficient_scope') {
    return <Text c="dimmed">{texts.overview.noAnalytics}</Text>;
  }
  if (analytics.error && !analytics.data)
    return <Failed error={analytics.error} onRetry={analytics.refetch} />;
  if (!analytics.data) return <Skeleton h={320} radius="lg" />;
  return <TrafficOf analytics={analytics.data} period={period} onPeriod={setPeriod} />;
}

interface TrafficOfProps {
  analytics: Analytics;
  period: Period;
  onPeriod(period: Period): void;
}

function TrafficOf({ analytics, period, onPeriod }: TrafficOfProps) {
  const [shownAs, setShownAs] = useState('chart');
  const { views_over_time, top_referrers, utm } = analytics;
  return (
    <Stack gap={32}>
      <section className={classes.panel} aria-label={texts.overview.overTime}>
        <Group justify="space-between" align="flex-start" mb="lg">
          <Group gap={36}>
            <Figure label={texts.overview.views} tone="views">
              {analytics.total_views}
            </Figure>
            <Figure label={texts.overview.visitors} tone="visitors">
              {analytics.unique_visitors}
            </Figure>
          </Group>
          <Group gap="xs">
            <SegmentedControl
              size="xs"
              aria-label={texts.overview.shownAs}
              data={[
                { value: 'chart', label: texts.overview.chart },
                { value: 'table', label: texts.overview.table },
              ]}
              value={shownAs}
              onChange={setShownAs}
            />
            <SegmentedControl
              size="xs"
              aria-label={texts.overview.period}
              data={periodChoices}
              value={period}
              onChange={onPeriod}
            />
          </Group>
        </Group>
        {shownAs === 'chart' ? <TimeChart days={views_over_time} /> : <TimeTable days={views_over_time} />}
      </section>
      <SimpleGrid cols={{ base: 1, md: 2 }} spacing={32}>
        <Ranking
          title={texts.overview.pages}
          rows={analytics.popular_pages.map(({ path, views }) => ({ label: path, views }))}
        />
        {top_referrers && (
          <Ranking
            title={texts.overview.referrers}
            rows={top_referrers.map(({ referrer, views }) => ({ label: referrer, views }))}
          />
        )}
      </SimpleGrid>
      {utm && utm.length > 0 && (
        <Ranking
          title={texts.overview.campaigns}
          rows={utm.map(({ source, medium, campaign, views }) => ({
            label: [campaign, source, medium].filter(Boolean).join(' · '),
            views,
          }))}
        />
      )}
    </Stack>
  );
}

const number = new Intl.NumberFormat();

const Figure = ({ label, tone, children }: { label: string; tone: string; children: number }) => (
  <div>
    <Text fz={13} c="dimmed" className={classes.key} data-tone={tone}>
      {label}
    </Text>
    <Text fz={26} fw={600} lh={1.3} className={classes.figure} component="div">
      {number.format(children) satisfies ReactNode}
    </Text>
  </div>
);
