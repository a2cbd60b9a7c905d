import { Skeleton } from '@mantine/core';
import { IconAlertTriangle } from '@tabler/icons-react';
import { useQueries, useQuery } from '@tanstack/react-query';
import type { Resource } from '../../../../shared/contract/resource.ts';
import { resources } from '../../../../shared/contract/resources/index.ts';
import { useApi } from '../../data/api.tsx';
import { useMayWrite } from '../../data/permissions.ts';
import { queryOf, webhooksQuery } from '../../data/queries.ts';
import { namingFields, shapeOf, titleOf } from '../../data/record-shape.ts';
import { recordsOf } from '../../data/records.ts';
import { strings } from '../../strings/ui-strings.ts';
import { iconOf } from '../../ui/collection-icon.ts';
import { Note } from '../../ui/note.tsx';
import { useTimeFormat } from '../../ui/time.tsx';
import { Card, WaitingRow } from './card.tsx';
import classes from './overview.module.css';
import { useWaitingTestimonials, WaitingTestimonials } from './pending-testimonials.tsx';

const withDrafts = Object.values<Resource>(resources).filter(({ fields }) => 'is_draft' in fields);
const max = 5;

/** Tasks for the user: failing webhooks, paused newsletters, new testimonials and drafts. */
export function Waiting() {
  const { briefly } = useTimeFormat();
  const failing = useFailing();
  const paused = usePaused();
  const unheard = useWaitingTestimonials();
  const drafts = useDrafts();
  const kinds = [failing, paused, unheard, drafts];
  const isLoading = kinds.some((kind) => kind.isLoading);
  const isEmpty = kinds.every(({ count }) => count === 0);
  return (
    <Card title={strings.overview.waiting}>
      {isEmpty && isLoading && <Skeleton h={38} role="status" aria-label={strings.common.loading} />}
      {isEmpty && !isLoading && <Note>{strings.overview.nothingWaits}</Note>}
      <ul className={classes.latest}>
        {failing.count > 0 && (
          <WaitingRow
            to="/tools/webhooks"
            icon={IconAlertTriangle}
            label={strings.overview.failing(failing.count)}
          />
        )}
        {paused.count > 0 && (
          <WaitingRow
            to="/newsletters"
            search={{ status: 'paused' }}
            icon={IconAlertTriangle}
            label={strings.overview.paused(paused.count)}
          />
        )}
        <WaitingTestimonials count={unheard.count} />
        {drafts.latest.slice(0, max).map(({ resource, record }) => (
          <WaitingRow
            key={record.id}
            to={`/${resource.collection}/${record.id}`}
            icon={iconOf(resource.collection)}
            label={titleOf(shapeOf(resource), record) || strings.records.untitled}
            aside={briefly(record.updated)}
          />
        ))}
      </ul>
    </Card>
  );
}

/** Returns the number of failing webhooks, fetched every 10 seconds because they fail without any action here. */
function useFailing() {
  const enabled = useMayWrite('site');
  const webhooks = webhooksQuery(useApi());
  const { data, isLoading } = useQuery({ ...webhooks, enabled, staleTime: 0, refetchInterval: 10_000 });
  const failing = (data?.data ?? []).filter(({ consecutive_failures }) => consecutive_failures > 0);
  return { count: failing.length, isLoading };
}

/** Returns the number of paused newsletters; most are paused by the service. */
function usePaused() {
  const { studio } = useApi();
  const enabled = useMayWrite('newsletter');
  const { data, isLoading } = useQuery({
    ...queryOf(['mailings', 'paused'], studio.mailings.list, { status: ['paused'], per_page: 1 }),
    enabled,
    refetchInterval: 10_000,
  });
  return { count: data?.total ?? 0, isLoading };
}

/** Returns the unpublished records that were changed last, at most 5 of each resource. `count` is their number. */
function useDrafts() {
  const api = useApi();
  // Queried together, so that the client sends one request.
  const lists = useQueries({
    queries: withDrafts.map((resource) =>
      queryOf(['records', resource.collection, 'drafts'], recordsOf(api, resource).list, {
        fields: namingFields(shapeOf(resource)),
        is_draft: true,
        per_page: max,
        sort: '-updated',
      }),
    ),
  });
  const drafts = lists.flatMap(({ data }, index) => {
    const resource = withDrafts[index];
    return resource && data ? data.items.map((record) => ({ resource, record })) : [];
  });
  const latest = drafts.toSorted((a, b) => b.record.updated.getTime() - a.record.updated.getTime());
  return { latest, count: latest.length, isLoading: lists.some((list) => list.isLoading) };
}
