import { Text, Title } from '@mantine/core';
import { useQueries } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { Resource } from '../../../shared/contract/resource.ts';
import { resources } from '../../../shared/contract/resources/index.ts';
import { iconOf } from '../app/navigation.ts';
import { useApi } from '../data/api.tsx';
import { recordsOf } from '../data/records.ts';
import { isDraft, namingFields, shapeOf, titleOf } from '../records/shape.ts';
import { briefly } from '../texts/moments.ts';
import { texts } from '../texts/texts.ts';
import { Dot } from '../ui/dot.tsx';
import { ListSkeleton } from '../ui/list-skeleton.tsx';
import classes from './overview.module.css';

const all = Object.values<Resource>(resources);
const most = 6;

/** What was written last, of any kind. */
export function Latest() {
  const api = useApi();
  // Asked together, so they travel in one request.
  const lists = useQueries({
    queries: all.map((resource) => ({
      queryKey: ['records', resource.collection, 'latest'],
      queryFn: () =>
        recordsOf(api, resource).list.query({
          fields: namingFields(shapeOf(resource)),
          per_page: most,
          sort: '-updated',
        }),
    })),
  });
  const records = lists.flatMap(({ data }, index) => {
    const resource = all[index];
    return resource && data ? data.items.map((record) => ({ resource, record })) : [];
  });
  const latest = records.toSorted((a, b) => b.record.updated.getTime() - a.record.updated.getTime());
  const isPending = lists.some((list) => list.isPending);
  return (
    <section aria-label={texts.overview.latest}>
      <Title order={2} fz={14} mb="sm">
        {texts.overview.latest}
      </Title>
      {isPending && <ListSkeleton />}
      {!isPending && latest.length === 0 && (
        <Text fz="sm" c="dimmed">
          {texts.overview.latestNone}
        </Text>
      )}
      <ul className={classes.latest}>
        {latest.slice(0, most).map(({ resource, record }) => {
          const ResourceIcon = iconOf(resource.collection);
          return (
            <li key={record.id}>
              <Link to="/$collection/$id" params={{ collection: resource.collection, id: record.id }}>
                <ResourceIcon size={16} stroke={1.7} aria-hidden />
                <span className={classes.label}>
                  {titleOf(shapeOf(resource), record) || texts.records.untitled}
                </span>
                {isDraft(record) && <Dot tone="waiting" label={texts.records.draft} />}
                <span className={classes.count}>{briefly(record.updated)}</span>
              </Link>
            </li>
          );
        })}
      </ul>
    </section>
  );
}
