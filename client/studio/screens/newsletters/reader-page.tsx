import { useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import type { ApiClient, OutputOf } from '../../../sdk/index.ts';
import { useApi } from '../../data/api.tsx';
import { queryOf } from '../../data/queries.ts';
import { PagedList } from '../../records/list/paged-list.tsx';
import { pagesOf, useListPage } from '../../records/list/use-list-page.ts';
import { SubscriberBadge } from '../../records/state-badge.tsx';
import { strings } from '../../strings/ui-strings.ts';
import { nameColumn, type TableColumn } from '../../ui/data-table.tsx';
import { Note } from '../../ui/note.tsx';
import { Pending } from '../../ui/pending.tsx';
import { BackLink, Screen } from '../../ui/screen.tsx';
import { useTimeFormat } from '../../ui/time.tsx';
import { recipientColumns, replyOf } from './recipients.tsx';

type ReceivedMailing = OutputOf<ApiClient['studio']['mailings']['received']>['items'][number];

const labels = strings.newsletters.reader;

/** Page with one subscriber and the state of each newsletter sent to them. */
export default function ReaderPage() {
  const { id } = useParams({ from: '/subscribers/$id' });
  const { studio } = useApi();
  const reader = useQuery(queryOf(['subscribers', 'one', id], studio.subscribers.get, { id }));
  const list = useListPage(pagesOf('mailings', studio.mailings.received, { subscriber_id: id }));
  const { inFull } = useTimeFormat();
  if (!reader.data) return <Pending query={reader} />;
  const { email, name, status, source, created, confirmed_at, ended_at } = reader.data;
  const said = [
    labels.since(inFull(created), source),
    confirmed_at && labels.confirmed(inFull(confirmed_at)),
    ended_at && labels.ended(inFull(ended_at)),
  ];
  return (
    <Screen
      title={name || email}
      lead={<SubscriberBadge status={status} />}
      back={<BackLink to="/subscribers">{strings.subscribers.title}</BackLink>}
    >
      <Note>{[name && email, ...said].filter(Boolean).join(' · ')}</Note>
      <PagedList
        list={list}
        label={labels.received}
        columns={columns}
        empty={<Note>{labels.nothing}</Note>}
      />
    </Screen>
  );
}

const columns: TableColumn<ReceivedMailing>[] = [
  nameColumn(strings.newsletters.subject, (recipient) => ({
    to: `/newsletters/${recipient.mailing_id}`,
    first: recipient.subject || strings.records.untitled,
    second: replyOf(recipient),
  })),
  ...recipientColumns,
];
