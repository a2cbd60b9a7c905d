import { Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { Resource } from '../../../shared/contract/resource.ts';
import { resources } from '../../../shared/contract/resources/index.ts';
import { useApi } from '../data/api.tsx';
import { recordsOf } from '../data/records.ts';
import { texts } from '../texts/texts.ts';
import classes from './overview.module.css';

const withDrafts = Object.values<Resource>(resources).filter(({ fields }) => 'is_draft' in fields);

/** How many there are, and what waits to be published. */
export function Numbers() {
  const api = useApi();
  const { data } = useQuery({
    queryKey: ['records', 'numbers'],
    queryFn: async () => {
      const page = { per_page: 1 };
      const [subscribers, ...drafts] = await Promise.all([
        api.studio.subscribers.list.query(page),
        ...withDrafts.map((resource) => recordsOf(api, resource).list.query({ ...page, is_draft: true })),
      ]);
      return {
        subscribers: subscribers.total,
        drafts: drafts.map(({ total }) => total),
      };
    },
  });
  const waiting = withDrafts.flatMap(({ collection }, index) => {
    const count = data?.drafts[index] ?? 0;
    return count > 0 ? [{ collection, count }] : [];
  });
  return (
    <section aria-label={texts.overview.glance}>
      <Title order={2} fz={14} mb="sm">
        {texts.overview.glance}
      </Title>
      <ul className={classes.latest}>
        {waiting.map(({ collection, count }) => (
          <li key={collection}>
            <Link to="/$collection" params={{ collection }} search={{ state: 'draft' }}>
              <span className={classes.label}>{texts.overview.draftsOf(collection)}</span>
              <span className={classes.count}>{count}</span>
            </Link>
          </li>
        ))}
        <li>
          <Link to="/subscribers">
            <span className={classes.label}>{texts.overview.subscribers}</span>
            <span className={classes.count}>{data?.subscribers}</span>
          </Link>
        </li>
      </ul>
    </section>
  );
}
