import { Anchor } from '@mantine/core';
import { useState } from 'react';
import type { DeliveryStatus } from '../../../../shared/contract/features/webhooks.ts';
import type { ApiClient, OutputOf } from '../../../sdk/index.ts';
import { useApi } from '../../data/api.tsx';
import { rowsPerPage } from '../../kinds/list/list-search.ts';
import { Only, useStatus } from '../../kinds/list/list-tools.tsx';
import { PagedList } from '../../kinds/list/paged-list.tsx';
import { useListPage } from '../../kinds/list/use-list-page.ts';
import { texts } from '../../texts/texts.ts';
import { momentColumn, nameColumn, stateColumn } from '../../ui/columns.tsx';
import type { TableColumn } from '../../ui/data-table.tsx';
import { Dot } from '../../ui/dot.tsx';
import { useMoments } from '../../ui/moment.tsx';
import { Note } from '../../ui/notes.tsx';
import { Section } from '../../ui/screen.tsx';
import { DeliveryDialog } from './delivery-dialog.tsx';

type Delivery = OutputOf<ApiClient['admin']['webhooks']['deliveries']>['data'][number];

/** What was sent to a subscription, newest first. */
export function Deliveries({ id }: { id: string }) {
  const [status, byStatus] = useStatus(texts.webhooks.statuses);
  const [shown, show] = useState<string | null>(null);
  const api = useApi();
  const list = useListPage((page) => deliveriesPage(api, { id, page, status }));
  return (
    <Section title={texts.webhooks.deliveries} actions={<Only {...byStatus} />}>
      <PagedList
        list={list}
        label={texts.webhooks.deliveries}
        columns={[eventColumn(show), ...columns]}
        empty={<Note>{texts.webhooks.noDeliveries}</Note>}
        noMatch={<Note>{texts.webhooks.noneSo}</Note>}
      />
      {shown && <DeliveryDialog id={id} deliveryId={shown} onClose={() => show(null)} />}
    </Section>
  );
}

interface Asked {
  id: string;
  page: number;
  status: DeliveryStatus | undefined;
}

/** They change by themselves, so they are asked for again while they are shown. */
const deliveriesPage = (api: ApiClient, { id, page, status }: Asked) => ({
  queryKey: ['webhooks', id, 'deliveries', page, status],
  queryFn: async ({ signal }: { signal: AbortSignal }) => {
    const input = { id, page, per_page: rowsPerPage, ...(status && { status: [status] }) };
    const { data, total } = await api.admin.webhooks.deliveries.query(input, { signal });
    return { items: data, total };
  },
  refetchInterval: 5_000,
});

const tones = {
  pending: 'waiting',
  delivered: 'good',
  retrying: 'waiting',
  failed: 'bad',
  cancelled: 'off',
} as const satisfies Record<Delivery['status'], string>;

function State({ status, next_attempt_at }: Delivery) {
  const { inFull } = useMoments();
  return (
    <span title={next_attempt_at ? texts.webhooks.nextAttempt(inFull(next_attempt_at)) : undefined}>
      <Dot tone={tones[status]} label={texts.webhooks.statuses[status]} />
    </span>
  );
}

const eventColumn = (show: (id: string) => void) =>
  nameColumn<Delivery>(texts.webhooks.event, ({ id, event }) => ({
    first: (
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
    ),
    second: <span translate="no">{id}</span>,
  }));

const columns: TableColumn<Delivery>[] = [
  stateColumn((delivery) => <State {...delivery} />),
  { label: texts.webhooks.attempts, place: 'detail', cell: ({ attempt_count }) => attempt_count },
  {
    label: texts.webhooks.answer,
    place: 'detail',
    cell: ({ last_status_code, error }) =>
      [last_status_code, error && texts.webhooks.reasons[error]].filter(Boolean).join(' · '),
  },
  momentColumn('created', texts.common.when),
];
