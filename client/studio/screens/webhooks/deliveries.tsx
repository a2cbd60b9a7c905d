import { Anchor, Button, Code, Group, Modal, Stack } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { DeliveryStatus } from '../../../../shared/contract/features/webhooks.ts';
import type { ApiClient, OutputOf } from '../../../sdk/index.ts';
import { useApi } from '../../data/api.tsx';
import { deliveryQuery } from '../../data/queries.ts';
import { rowsPerPage } from '../../records/list/list-search.ts';
import { Only, useStatus } from '../../records/list/list-tools.tsx';
import { PagedList } from '../../records/list/paged-list.tsx';
import { useListPage } from '../../records/list/use-list-page.ts';
import { texts } from '../../strings/texts.ts';
import { momentColumn, nameColumn, stateColumn } from '../../ui/columns.tsx';
import { DataTable, type TableColumn } from '../../ui/data-table.tsx';
import { Dot } from '../../ui/dot.tsx';
import { IconSend } from '../../ui/icons.ts';
import { Moment, useMoments } from '../../ui/moment.tsx';
import { Note } from '../../ui/notes.tsx';
import { Pending } from '../../ui/pending.tsx';
import { Section } from '../../ui/screen.tsx';
import { toast } from '../../ui/toast.tsx';
import { useWrite } from '../../ui/use-write.ts';

type Delivery = OutputOf<ApiClient['admin']['webhooks']['deliveries']>['data'][number];

/** Deliveries of a subscription, newest first. */
export function Deliveries({ id }: { id: string }) {
  const [status, byStatus] = useStatus(texts.webhooks.statuses);
  const [shown, show] = useState<string | null>(null);
  const api = useApi();
  const list = useListPage((page) => deliveriesPage(api, id, page, status));
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

/** Deliveries change without any action here, so the list is refetched while it is shown. */
const deliveriesPage = (api: ApiClient, id: string, page: number, status?: DeliveryStatus) => ({
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

interface Address {
  /** ID of the subscription. */
  id: string;
  deliveryId: string;
}

/** Dialog with a delivery's body and attempts, and a button to send it again. */
function DeliveryDialog({ onClose, ...address }: Address & { onClose(): void }) {
  return (
    <Modal opened onClose={onClose} title={texts.webhooks.delivery} size="lg">
      <OneDelivery {...address} />
    </Modal>
  );
}

function OneDelivery({ id, deliveryId }: Address) {
  const { admin } = useApi();
  const delivery = useQuery(deliveryQuery(useApi(), id, deliveryId));
  const sending = useWrite({
    run: () => admin.webhooks.redeliver.mutate({ id, delivery_id: deliveryId }),
    refreshes: ['webhooks', id],
    done: () => toast(texts.webhooks.sentAgain),
  });
  if (!delivery.data) return <Pending query={delivery} />;
  const { body, attempts } = delivery.data;
  const rows = attempts.map((attempt) => ({ ...attempt, id: String(attempt.attempt) }));
  return (
    <Stack gap="md">
      <Code block fz={12.5} style={{ whiteSpace: 'pre-wrap', overflowWrap: 'anywhere' }}>
        {body === null ? texts.webhooks.bodyGone : readable(body)}
      </Code>
      {rows.length === 0 ? (
        <Note>{texts.webhooks.noAttempts}</Note>
      ) : (
        <DataTable label={texts.webhooks.attempts} rows={rows} columns={attemptColumns} />
      )}
      <Group justify="flex-end">
        <Button
          leftSection={<IconSend size={16} />}
          disabled={body === null}
          loading={sending.isPending}
          onClick={() => sending.mutate()}
        >
          {texts.webhooks.sendAgain}
        </Button>
      </Group>
    </Stack>
  );
}

/** Formats a body for reading; the receiver gets it without line breaks. */
const readable = (body: string) => JSON.stringify(JSON.parse(body), null, 2);

type Attempt = OutputOf<ApiClient['admin']['webhooks']['getDelivery']>['attempts'][number] & { id: string };

const attemptColumns: TableColumn<Attempt>[] = [
  {
    label: texts.webhooks.attempt,
    cell: ({ attempt, manual }) => (manual ? texts.webhooks.byHand(attempt) : attempt),
  },
  {
    label: texts.webhooks.answer,
    cell: ({ status_code, error }) => (
      <Dot
        tone={error ? 'bad' : 'good'}
        label={[status_code, error && texts.webhooks.reasons[error]].filter(Boolean).join(' · ')}
      />
    ),
  },
  {
    label: texts.webhooks.took,
    place: 'detail',
    align: 'end',
    cell: ({ duration_ms }) => `${duration_ms} ms`,
  },
  {
    label: texts.common.when,
    place: 'detail',
    align: 'end',
    cell: ({ started }) => <Moment at={started} isFull />,
  },
];
