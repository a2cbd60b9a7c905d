import type { ApiClient, OutputOf } from '../../../sdk/index.ts';
import { useApi } from '../../data/api.tsx';
import { PagedList } from '../../kinds/list/paged-list.tsx';
import { pagesOf, useListPage } from '../../kinds/list/use-list-page.ts';
import { labelOf } from '../../texts/names.ts';
import { texts } from '../../texts/texts.ts';
import { type TableColumn, TwoLines } from '../../ui/data-table.tsx';
import { Empty } from '../../ui/empty.tsx';
import { IconClipboardList } from '../../ui/icons.ts';
import { momentColumn } from '../../ui/moment-column.tsx';
import { Screen } from '../../ui/screen.tsx';
import { actionText } from './action-text.ts';

type Entry = OutputOf<ApiClient['studio']['audit']['list']>['items'][number];

/** Who changed how the site is run. */
export function ActivityPage() {
  const { studio } = useApi();
  return (
    <Screen title={texts.activity.title} lead={texts.activity.lead}>
      <PagedList
        list={useListPage(pagesOf('activity', studio.audit.list, {}))}
        label={texts.activity.title}
        columns={columns}
        empty={<Empty icon={IconClipboardList} title={texts.activity.none} lead={texts.activity.noneLead} />}
      />
    </Screen>
  );
}

const columns: TableColumn<Entry>[] = [
  {
    label: texts.activity.what,
    cell: ({ action, changed, record_id }) => (
      <TwoLines
        first={actionText(action)}
        second={changed.map((name) => labelOf(name)).join(', ') || record_id}
      />
    ),
  },
  {
    label: texts.activity.who,
    place: 'state',
    cell: ({ actor }) => <TwoLines first={actor.name} second={texts.activity.kinds[actor.kind]} />,
  },
  momentColumn('created', texts.webhooks.when),
];
