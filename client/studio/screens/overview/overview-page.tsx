import { SimpleGrid } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { opens } from '../../../../shared/contract/roles.ts';
import { useApi } from '../../data/api.tsx';
import { useRole } from '../../data/permissions.ts';
import { strings } from '../../strings/ui-strings.ts';
import { Screen } from '../../ui/screen.tsx';
import { useTimeFormat } from '../../ui/time.tsx';
import { Card, Figure } from './card.tsx';
import { FirstSteps } from './first-steps.tsx';
import { LastPost } from './last-post.tsx';
import classes from './overview.module.css';
import { Waiting } from './tasks.tsx';
import { Visits } from './visits.tsx';

/** First page of the studio, with the cards that the user's role may read. */
export function OverviewPage() {
  const role = useRole();
  return (
    <Screen title={strings.overview.title}>
      {opens(role, 'site', true) && <FirstSteps />}
      <Visits />
      <SimpleGrid cols={{ base: 1, md: 3 }} spacing={16}>
        <LastPost />
        {opens(role, 'audience', false) && <Newcomers />}
        <Waiting />
      </SimpleGrid>
    </Screen>
  );
}

const monthMs = 30 * 86_400_000;
const max = 3;

function Newcomers() {
  const { briefly } = useTimeFormat();
  const { studio } = useApi();
  const { data } = useQuery({
    queryKey: ['members', 'newcomers'],
    queryFn: async ({ signal }) => {
      const newest = { per_page: max };
      // The API client sends these calls in one request.
      const [members, recent, subscribers] = await Promise.all([
        studio.members.list.query(newest, { signal }),
        studio.members.list.query(
          { per_page: 1, fields: ['id'], created_from: new Date(Date.now() - monthMs) },
          { signal },
        ),
        studio.subscribers.list.query(newest, { signal }),
      ]);
      return { members, recent: recent.total, subscribers };
    },
  });
  const people = [
    ...(data?.members.items ?? []).map((person) => ({ ...person, to: '/members' as const })),
    ...(data?.subscribers.items ?? []).map((person) => ({ ...person, to: '/subscribers' as const })),
  ].toSorted((a, b) => b.created.getTime() - a.created.getTime());
  return (
    <Card title={strings.overview.newcomers}>
      <div className={classes.figures}>
        <Link to="/members">
          <Figure of={strings.overview.membersOf(data?.recent ?? 0)}>
            {data?.members.total.toLocaleString()}
          </Figure>
        </Link>
        <Link to="/subscribers">
          <Figure of={strings.overview.subscribers}>{data?.subscribers.total.toLocaleString()}</Figure>
        </Link>
      </div>
      <ul className={classes.latest}>
        {people.slice(0, max).map(({ id, name, email, created, to }) => (
          <li key={id}>
            <Link to={to} search={{ q: email }}>
              <span className={classes.label}>{name || email}</span>
              <span className={classes.count}>{briefly(created)}</span>
            </Link>
          </li>
        ))}
      </ul>
    </Card>
  );
}
