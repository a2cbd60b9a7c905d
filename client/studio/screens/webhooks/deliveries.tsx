import { Anchor, Button, Code, Group, Modal, Stack } from '@mantine/core';
import { IconSend } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { ApiClient, OutputOf } from '../../../sdk/index.ts';
import { useApi } from '../../data/api.tsx';
import { deliveryQuery } from '../../data/queries.ts';
import { rowsPerPage } from '../../records/list/list-search.ts';
import { Only, useStatus } from '../../records/list/list-tools.tsx';
import { PagedList } from '../../records/list/paged-list.tsx';
import { useListPage } from '../../records/list/use-list-page.ts';
import { strings } from '../../strings/ui-strings.ts';
import { DataTable, nameColumn, stateColumn, type TableColumn, timeColumn } from '../../ui/data-table.tsx';
import { Dot } from '../../ui/dot.tsx';
import { Note } from '../../ui/note.tsx';
import { Pending } from '../../ui/pending.tsx';
import { Section } from '../../ui/screen.tsx';
import { Time, useTimeFormat } from '../../ui/time.tsx';
import { toast } from '../../ui/toast.tsx';
import { useWrite } from '../../ui/use-write.ts';

type Delivery = OutputOf<ApiClient['admin']['webhooks']['deliveries']>['data'][number];

/** Deliveries of a subscription, newest first. */
export function Deliveries({ id }: { id: string }) {
  const [status, byStatus] = useStatus(strings.webhooks.statuses);
  const [shown, show] = useState<string | null>(null);
  const { admin } = useApi();
  const list = useListPage((page) => ({
    queryKey: ['webhooks', id, 'deliveries', page, status],
    queryFn: async ({ signal }) => {
      const input = { id, page, per_page: rowsPerPage, ...(status && { status: [status] }) };
      const { data, total } = await admin.webhooks.deliveries.query(input, { signal });
      return { items: data, total };
    },
    // Deliveries change without any action here.
    refetchInterval: 5_000,
  }));
  return (
    <Section title={strings.webhooks.deliveries} actions={<Only {...byStatus} />}>
      <PagedList
        list={list}
        label={strings.webhooks.deliveries}
        columns={[eventColumn(show), ...columns]}
        empty={<Note>{strings.webhooks.noDeliveries}</Note>}
        noMatch={<Note>{strings.webhooks.noneSo}</Note>}
      />
      {shown && (
        <Modal opened onClose={() => show(null)} title={strings.webhooks.delivery} size="lg">
          <OneDelivery id={id} deliveryId={shown} />
        </Modal>
      )}
    </Section>
  );
}

const tones = {
  pending: 'waiting',
  delivered: 'good',
  retrying: 'waiting',
  failed: 'bad',
  cancelled: 'off',
} as const satisfies Record<Delivery['status'], string>;

function State({ status, next_attempt_at }: Delivery) {
  const { inFull } = useTimeFormat();
  return (
    <span title={next_attempt_at ? strings.webhooks.nextAttempt(inFull(next_attempt_at)) : undefined}>
      <Dot tone={tones[status]} label={strings.webhooks.statuses[status]} />
    </span>
  );
}

const eventColumn = (show: (id: string) => void) =>
  nameColumn<Delivery>(strings.webhooks.event, ({ id, event }) => ({
    first: (
      <Anchor
        component="button"
        type="button"
        c="inherit"
        fz="inherit"
        fw="inherit"
        aria-label={strings.webhooks.showDelivery(event)}
        onClick={() => show(id)}
      >
        {event}
      </Anchor>
    ),
    second: <span translate="no">{id}</span>,
  }));

const columns: TableColumn<Delivery>[] = [
  stateColumn((delivery) => <State {...delivery} />),
  { label: strings.webhooks.attempts, column: 'detail', cell: ({ attempt_count }) => attempt_count },
  {
    label: strings.webhooks.answer,
    column: 'detail',
    cell: ({ last_status_code, error }) =>
      [last_status_code, error && strings.webhooks.reasons[error]].filter(Boolean).join(' · '),
  },
  timeColumn('created', strings.common.when),
];

/** Body and attempts of a delivery of the subscription `id`, and a button to send it again. */
function OneDelivery({ id, deliveryId }: { id: string; deliveryId: string }) {
  const { admin } = useApi();
  const delivery = useQuery(deliveryQuery(useApi(), id, deliveryId));
  const sending = useWrite({
    run: () => admin.webhooks.redeliver.mutate({ id, delivery_id: deliveryId }),
    refreshes: ['webhooks', id],
    done: () => toast(strings.webhooks.sentAgain),
  });
  if (!delivery.data) return <Pending query={delivery} />;
  const { body, attempts } = delivery.data;
  const rows = attempts.map((attempt) => ({ ...attempt, id: String(attempt.attempt) }));
  return (
    <Stack gap="md">
      <Code block fz={12.5} style={{ whiteSpace: 'pre-wrap', overflowWrap: 'anywhere' }}>
        {body === null ? strings.webhooks.bodyGone : readable(body)}
      </Code>
      {rows.length === 0 ? (
        <Note>{strings.webhooks.noAttempts}</Note>
      ) : (
        <DataTable label={strings.webhooks.attempts} rows={rows} columns={attemptColumns} />
      )}
      <Group justify="flex-end">
        <Button
          leftSection={<IconSend size={16} />}
          disabled={body === null}
          loading={sending.isPending}
          onClick={() => sending.mutate()}
        >
          {strings.webhooks.sendAgain}
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
    label: strings.webhooks.attempt,
    cell: ({ attempt, manual }) => (manual ? strings.webhooks.byHand(attempt) : attempt),
  },
  {
    label: strings.webhooks.answer,
    cell: ({ status_code, error }) => (
      <Dot
        tone={error ? 'bad' : 'good'}
        label={[status_code, error && strings.webhooks.reasons[error]].filter(Boolean).join(' · ')}
      />
    ),
  },
  {
    label: strings.webhooks.took,
    column: 'detail',
    align: 'end',
    cell: ({ duration_ms }) => `${duration_ms} ms`,
  },
  {
    label: strings.common.when,
    column: 'detail',
    align: 'end',
    cell: ({ started }) => <Time at={started} isFull />,
  },
];
