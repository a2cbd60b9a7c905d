import { Button, Code, Group, Modal, Stack } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ApiClient, OutputOf } from '../../../sdk/index.ts';
import { useApi } from '../../data/api.tsx';
import { deliveryQuery } from '../../data/queries.ts';
import { texts } from '../../texts/texts.ts';
import { DataTable, type TableColumn } from '../../ui/data-table.tsx';
import { Dot } from '../../ui/dot.tsx';
import { IconSend } from '../../ui/icons.ts';
import { Moment } from '../../ui/moment.tsx';
import { Note } from '../../ui/notes.tsx';
import { Pending } from '../../ui/pending.tsx';
import { toast } from '../../ui/toast.tsx';
import { useWrite } from '../../ui/use-write.ts';

interface Address {
  /** The subscription. */
  id: string;
  deliveryId: string;
}

/** What was sent, how each attempt ended, and one more if it is asked for. */
export function DeliveryDialog({ onClose, ...address }: Address & { onClose(): void }) {
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
        <DataTable label={texts.webhooks.attempts} rows={rows} columns={columns} />
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

/** With line breaks; the receiver gets it without. */
const readable = (body: string) => JSON.stringify(JSON.parse(body), null, 2);

type Attempt = OutputOf<ApiClient['admin']['webhooks']['getDelivery']>['attempts'][number] & { id: string };

const columns: TableColumn<Attempt>[] = [
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
