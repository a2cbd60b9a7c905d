import { Link } from '@tanstack/react-router';
import type { ApiClient, OutputOf } from '../../../sdk/index.ts';
import { useApi } from '../../data/api.tsx';
import { PagedList } from '../../kinds/list/paged-list.tsx';
import { pagesOf, useListPage } from '../../kinds/list/use-list-page.ts';
import { texts } from '../../texts/texts.ts';
import { RowLink, type TableColumn, TwoLines } from '../../ui/data-table.tsx';
import { Empty } from '../../ui/empty.tsx';
import { IconInbox } from '../../ui/icons.ts';
import { momentColumn } from '../../ui/moment-column.tsx';
import { Screen } from '../../ui/screen.tsx';

type Mail = OutputOf<ApiClient['studio']['outbox']['list']>['items'][number];

const words = texts.outbox;

/** Newsletters and confirmations that were kept rather than sent. */
export function OutboxPage() {
  const { studio } = useApi();
  return (
    <Screen title={words.title} lead={words.lead}>
      <PagedList
        list={useListPage(pagesOf('outbox', studio.outbox.list, {}))}
        label={words.title}
        columns={columns}
        empty={<Empty icon={IconInbox} title={words.none} lead={words.noneLead} />}
      />
    </Screen>
  );
}

const columns: TableColumn<Mail>[] = [
  {
    label: words.mail,
    cell: ({ id, subject, to }) => (
      <TwoLines
        first={
          <RowLink>
            {(className) => (
              <Link to="/outbox/$id" params={{ id }} className={className}>
                {subject || words.noSubject}
              </Link>
            )}
          </RowLink>
        }
        second={to}
      />
    ),
  },
  { label: words.kind, place: 'state', cell: ({ kind }) => words.kinds[kind] },
  momentColumn('created', words.when),
];
