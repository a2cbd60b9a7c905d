import type { ApiClient, OutputOf } from '../../../sdk/index.ts';
import { useApi } from '../../data/api.tsx';
import { ExportButton } from '../../kinds/list/export-button.tsx';
import { ListTools } from '../../kinds/list/list-tools.tsx';
import { PagedList } from '../../kinds/list/paged-list.tsx';
import { useListAddress } from '../../kinds/list/use-list-address.ts';
import { pagesOf, useListPage } from '../../kinds/list/use-list-page.ts';
import { texts } from '../../texts/texts.ts';
import { type TableColumn, TwoLines } from '../../ui/data-table.tsx';
import { Empty } from '../../ui/empty.tsx';
import { IconMail } from '../../ui/icons.ts';
import { momentColumn } from '../../ui/moment-column.tsx';
import { Screen } from '../../ui/screen.tsx';

type Subscriber = OutputOf<ApiClient['studio']['subscribers']['list']>['items'][number];

/** Who gets the newsletter. */
export function SubscribersPage() {
  const { studio } = useApi();
  const { param } = useListAddress();
  return (
    <Screen
      title={texts.subscribers.title}
      lead={texts.subscribers.lead}
      actions={<ExportButton ask={() => studio.subscribers.export.mutate()} />}
    >
      <ListTools label={texts.subscribers.search} />
      <PagedList
        list={useListPage(pagesOf('subscribers', studio.subscribers.list, { q: param('q') }))}
        label={texts.subscribers.title}
        columns={subscriberColumns}
        empty={<Empty icon={IconMail} title={texts.subscribers.none} lead={texts.subscribers.noneLead} />}
      />
    </Screen>
  );
}

const subscriberColumns: TableColumn<Subscriber>[] = [
  {
    label: texts.subscribers.subscriber,
    cell: ({ email, name }) => <TwoLines first={email} second={name} />,
  },
  { label: texts.subscribers.source, place: 'detail', cell: ({ source }) => source },
  momentColumn('created', texts.subscribers.since),
];
