import { Anchor, Group, Skeleton, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useApi } from '../../data/api.tsx';
import { queryOf } from '../../data/queries.ts';
import { codeOf } from '../../strings/errors.ts';
import { strings } from '../../strings/ui-strings.ts';
import { Pending } from '../../ui/pending.tsx';
import { Card, Figure } from './card.tsx';
import classes from './overview.module.css';

/** Recent views and visitors, with a link to analytics. */
export function Visits() {
  const { studio } = useApi();
  const { data, error, refetch } = useQuery(queryOf(['analytics', {}], studio.analytics.get, {}));
  if (codeOf(error) === 'insufficient_scope') {
    return <Text c="dimmed">{strings.analytics.notIncluded}</Text>;
  }
  if (!data) return <Pending query={{ error, refetch }} skeleton={<Skeleton h={150} radius="lg" />} />;
  const { total_views, unique_visitors, views_over_time, before } = data;
  const highest = Math.max(1, ...views_over_time.map(({ views }) => views));
  return (
    <Card title={strings.overview.visits}>
      <div className={classes.visits}>
        <div>
          <Group gap={20}>
            <Figure of={strings.overview.views}>{total_views.toLocaleString()}</Figure>
            <Figure of={strings.overview.visitors}>{unique_visitors.toLocaleString()}</Figure>
          </Group>
          {before && before.total_views > 0 && (
            <Text fz={12.5} c="dimmed">
              {strings.analytics.sinceBefore(total_views, before.total_views)}
            </Text>
          )}
          <Anchor renderRoot={(props) => <Link to="/analytics" {...props} />} fz={13} display="block" mt={8}>
            {strings.analytics.more}
          </Anchor>
        </div>
        <div className={classes.days} aria-hidden>
          {views_over_time.map(({ date, views }) => (
            <span key={date} style={{ height: `${(views / highest) * 100}%` }} />
          ))}
        </div>
      </div>
    </Card>
  );
}
