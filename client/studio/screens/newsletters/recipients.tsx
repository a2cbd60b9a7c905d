import { useDidUpdate } from '@mantine/hooks';
import { useQueryClient } from '@tanstack/react-query';
import { keysOf } from '../../../../shared/contract/names-of.ts';
import type { ApiClient, OutputOf } from '../../../sdk/index.ts';
import { useApi } from '../../data/api.tsx';
import { Only, useStatus } from '../../records/list/list-tools.tsx';
import { PagedList } from '../../records/list/paged-list.tsx';
import { pagesOf, useListPage } from '../../records/list/use-list-page.ts';
import { strings } from '../../strings/ui-strings.ts';
import { nameColumn, stateColumn, type TableColumn } from '../../ui/data-table.tsx';
import { Dot } from '../../ui/dot.tsx';
import { Note } from '../../ui/note.tsx';
import { Section } from '../../ui/screen.tsx';
import { Time } from '../../ui/time.tsx';
import type { Mailing } from './mailing.tsx';

type Recipient = OutputOf<ApiClient['studio']['mailings']['recipients']>['items'][number];

const labels = strings.newsletters;

/** List of all recipients of a newsletter. If a mail server refused the email, its answer is shown. */
export function Recipients({ mailing }: { mailing: Mailing }) {
  const { studio } = useApi();
  const [state, byState] = useStatus(labels.states, 'state');
  const { id } = mailing;
  const list = useListPage(pagesOf('mailings', studio.mailings.recipients, { id, state }));
  useRefresh(mailing);
  return (
    <Section title={labels.recipients} actions={<Only {...byState} />}>
      <PagedList
        list={list}
        label={labels.recipients}
        columns={columns}
        empty={<Note>{labels.noRecipients}</Note>}
        noMatch={<Note>{labels.noneSo}</Note>}
      />
    </Section>
  );
}

/** Refetches the recipients of a newsletter when the state of one has changed. */
function useRefresh({ counts }: Mailing) {
  const queries = useQueryClient();
  useDidUpdate(() => {
    void queries.invalidateQueries({ queryKey: ['mailings', 'list'] });
  }, [JSON.stringify(counts)]);
}

type RecipientRow = Omit<
  OutputOf<ApiClient['studio']['mailings']['received']>['items'][number],
  'mailing_id' | 'subject'
>;

const tones = {
  queued: 'off',
  sending: 'waiting',
  retrying: 'waiting',
  unknown: 'waiting',
  accepted: 'good',
  refused: 'bad',
  skipped: 'off',
  bounced: 'bad',
  complained: 'bad',
} as const satisfies Record<RecipientRow['state'], string>;

/** Describes a refusal by a mail server: its codes and the reason. Empty if the server refused nothing. */
export function replyOf({ reply_code, reply_status }: RecipientRow): string {
  const code = [reply_code, reply_status].filter(Boolean).join(' ');
  const known = reply_status ?? `${String(reply_code ?? '').slice(0, 1)}.`;
  const reason = keysOf(labels.replies).find((begins) => known.startsWith(begins));
  return reason ? `${code} · ${labels.replies[reason]}` : '';
}

/** Columns that all lists of recipients share. */
export const recipientColumns: TableColumn<RecipientRow>[] = [
  { label: labels.body, column: 'detail', cell: ({ body }) => body && labels.bodies[body] },
  {
    label: strings.common.when,
    column: 'when',
    cell: ({ ended_at, due_at }) =>
      ended_at ? <Time at={ended_at} /> : due_at && <Time at={due_at} said={labels.next} />,
  },
  stateColumn(({ state }) => <Dot tone={tones[state]} label={labels.states[state]} />),
];

const columns: TableColumn<Recipient>[] = [
  nameColumn(labels.recipient, (recipient) => ({
    to: `/subscribers/${recipient.subscriber_id}`,
    first: recipient.email,
    second: replyOf(recipient),
  })),
  ...recipientColumns,
];
