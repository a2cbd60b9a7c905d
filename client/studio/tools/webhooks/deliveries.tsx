import { Anchor, Group, Select, Stack, Text, Title } from '@mantine/core';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { DeliveryStatus } from '../../../../shared/contract/webhooks.ts';
import type { ApiClient, OutputOf } from '../../../sdk/index.ts';
import { oneOf, useAsked } from '../../audience/use-asked.ts';
import { useApi } from '../../data/api.tsx';
import { deliveriesQuery } from '../../data/queries.ts';
import { inFull } from '../../texts/moments.ts';
import { texts } from '../../texts/texts.ts';
import { createdColumn } from '../../ui/created-column.tsx';
import { type Column, DataTable, TwoLines } from '../../ui/data-table.tsx';
import { Dot } from '../../ui/dot.tsx';
import { Failed } from '../../ui/failed.tsx';
import { ListSkeleton } from '../../ui/list-skeleton.tsx';
import { Pager } from '../../ui/pager.tsx';
import { DeliveryDialog } from './delivery-dialog.tsx';

type Delivery = OutputOf<ApiClient['admin']['webhooks']['deliveries']>['data'][number];

const statuses = DeliveryStatus.options;

/** What was sent to a subscription, newest first. */
export function Deliveries({ id }: { id: string }) {
  const { asked, change } = useAsked();
  const status = oneOf(statuses, asked('status'));
  return (
    <Stack gap="sm">
      <Group justify="space-between">
        <Title order={2} fz={15}>
          {texts.webhooks.deliveries}
        </Title>
        <Select
          size="xs"
          w={170}
          aria-label={texts.records.state}
          data={[
            { value: '', label: texts.webhooks.anyStatus },
            ...statuses.map((value) => ({ value, label: texts.webhooks.statuses[value] })),
          ]}
          value={status ?? ''}
          allowDeselect={false}
          onChange={(next) => change({ status: next ?? '' })}
        />
      </Group>
      <Found key={status} {...{ id, status }} />
    </Stack>
  );
}

interface FoundProps {
  id: string;
  status: DeliveryStatus | undefined;
}

function Found({ id, status }: FoundProps) {
  const [page, setPage] = useState(1);
  const [shown, show] = useState<string | null>(null);
  const query = deliveriesQuery(useApi(), { id, page, status });
  const deliveries = useQuery({ ...query, placeholderData: keepPreviousData });
  if (deliveries.error && !deliveries.data)
    return <Failed error={deliveries.error} onRetry={deliveries.refetch} />;
  if (!deliveries.data) return <ListSkeleton />;
  const { data, total, per_page } = deliveries.data;
  return (
    <>
      {total === 0 && (
        <Text c="dimmed" fz="sm">
          {status ? texts.webhooks.noneSo : texts.webhooks.noDeliveries}
        </Text>
      )}
      {data.length > 0 && (
        <DataTable label={texts.webhooks.deliveries} rows={data} columns={[eventColumn(show), ...columns]} />
      )}
      {shown && <DeliveryDialog id={id} deliveryId={shown} onClose={() => show(null)} />}
      {(page > 1 || total > per_page) && (
        <Pager
          {...{ page, total }}
          perPage={per_page}
          isStale={deliveries.isPlaceholderData}
          onPage={setPage}
        />
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
  createdColumn(texts.webhooks.when, { align: 'end', isDetail: true }),
];
