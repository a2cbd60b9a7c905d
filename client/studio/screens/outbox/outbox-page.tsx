import { IconInbox } from '@tabler/icons-react';
import type { ApiClient, OutputOf } from '../../../sdk/index.ts';
import { useApi } from '../../data/api.tsx';
import { ListScreen } from '../../records/list/list-screen.tsx';
import { pagesOf, useListPage } from '../../records/list/use-list-page.ts';
import { strings } from '../../strings/ui-strings.ts';
import { nameColumn, type TableColumn, timeColumn } from '../../ui/data-table.tsx';

type Mail = OutputOf<ApiClient['studio']['outbox']['list']>['items'][number];

const labels = strings.outbox;

/** Page with emails that were stored in the outbox instead of sent. */
export default function OutboxPage() {
  const { studio } = useApi();
  return (
    <ListScreen
      {...{ words: labels, columns }}
      icon={IconInbox}
      list={useListPage(pagesOf('outbox', studio.outbox.list, {}))}
    />
  );
}

const columns: TableColumn<Mail>[] = [
  nameColumn(labels.mail, ({ id, subject, to }) => ({
    to: `/outbox/${id}`,
    first: subject || labels.noSubject,
    second: to,
  })),
  { label: labels.kind, column: 'state', cell: ({ kind }) => labels.kinds[kind] },
  timeColumn('created', labels.when),
];
