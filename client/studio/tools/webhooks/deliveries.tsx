import { Anchor, Button, Group, Text } from '@mantine/core';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { ApiClient, OutputOf } from '../../../sdk/index.ts';
import { useApi } from '../../data/api.tsx';
import { deliveriesQuery } from '../../data/queries.ts';
import { briefly, inFull } from '../../texts/moments.ts';
import { texts } from '../../texts/texts.ts';
import { type Column, DataTable, TwoLines } from '../../ui/data-table.tsx';
import { Dot } from '../../ui/dot.tsx';
import { Failed } from '../../ui/failed.tsx';
import { ListSkeleton } from '../../ui/list-skeleton.tsx';
import { DeliveryDialog } from './delivery-dialog.tsx';

type Delivery = OutputOf<ApiClient['admin']['webhooks']['deliveries']>['data'][number];

/** What was sent to a subscription, newest first. */
export function Deliveries({ id }: { id: string }) {
  const [page, setPage] = useState(1);
  const [shown, show] = useState<string | null>(null);
  const deliveries = useQuery({ ...deliveriesQuery(useApi(), id, page), placeholderData: keepPreviousData });
  if (deliveries.error) return <Failed error={deliveries.error} onRetry={deliveries.refetch} />;
  if (!deliveries.data) return <ListSkeleton />;
  const { data, total, per_page } = deliveries.data;
  if (total === 0) {
    return (
      <Text c="dimmed" fz="sm">
        {texts.webhooks.noDeliveries}
      </Text>
    );
  }
  return (
    <>
      <DataTable label={texts.webhooks.deliveries} rows={data} columns={[eventColumn(show), ...columns]} />
      {shown && <DeliveryDialog id={id} deliveryId={shown} onClose={() => show(null)} />}
      {total > per_page && (
        <Group justify="center">
          <Button variant="default" size="xs" disabled={page === 1} onClick={() => setPage(page - 1)}>
            {texts.webhooks.newer}
          </Button>
          <Button
            variant="default"
            size="xs"
            disabled={page * per_page >= total}
            onClick={() => setPage(page + 1)}
          >
            {texts.webhooks.older}
          </Button>
        </Group>
      )}
    </>
  );
}

const tones = {
  pending: 'waiting',
  delivered: 'good',
  retrying: 'waiting',
  failed: 'bad',
  cancelled: 'off',
} as const satisfies Record<Delivery['status'], string>;

const eventColumn = (show: (id: string) => void): Column<Delivery> => ({
  label: texts.webhooks.event,
  cell: ({ id, event }) => (
    <TwoLines
      first={
        <Anchor
          component="button"
          type="button"
          c="inherit"
          fz="inherit"
          fw="inherit"
          aria-label={texts.webhooks.showDelivery(event)}
          onClick={() => show(id)}
        >
          {event}
        </Anchor>
      }
      second={<span translate="no">{id}</span>}
    />
  ),
});

const columns: Column<Delivery>[] = [
  {
    label: texts.records.state,
    cell: ({ status, next_attempt_at }) => (
      <span title={next_attempt_at ? texts.webhooks.nextAttempt(inFull(next_attempt_at)) : undefined}>
        <Dot tone={tones[status]} label={texts.webhooks.statuses[status]} />
      </span>
    ),
  },
  { label: texts.webhooks.attempts, isDetail: true, cell: ({ attempt_count }) => attempt_count },
  {
    label: texts.webhooks.answer,
    isDetail: true,
    cell: ({ last_status_code, error }) =>
      [last_status_code, error && texts.webhooks.reasons[error]].filter(Boolean).join(' · '),
  },
  {
    label: texts.webhooks.when,
    align: 'end',
    isDetail: true,
    cell: ({ created }) => <span title={inFull(created)}>{briefly(created)}</span>,
  },
];
