import type { ApiClient, OutputOf } from '../../sdk/index.ts';
import { PagedList } from '../audience/paged-list.tsx';
import { useApi } from '../data/api.tsx';
import { labelOf } from '../texts/names.ts';
import { texts } from '../texts/texts.ts';
import { createdColumn } from '../ui/created-column.tsx';
import { type Column, TwoLines } from '../ui/data-table.tsx';
import { IconClipboardList } from '../ui/icons.ts';
import { Screen } from '../ui/screen.tsx';
import { actionText } from './action-text.ts';

type Entry = OutputOf<ApiClient['studio']['audit']['list']>['items'][number];

/** Who changed how the site is run. */
export function ActivityPage() {
  const { studio } = useApi();
  return (
    <Screen title={texts.activity.title} lead={texts.activity.lead}>
      <PagedList
        name="activity"
        label={texts.activity.title}
        list={studio.audit.list}
        asked={{}}
        columns={columns}
        empty={{ icon: IconClipboardList, title: texts.activity.none, lead: texts.activity.noneLead }}
      />
    </Screen>
  );
}

const columns: Column<Entry>[] = [
  {
    label: texts.activity.what,
    cell: ({ action, changed, record_id }) => (
      <TwoLines first={actionText(action)} second={changed.map(labelOf).join(', ') || record_id} />
    ),
  },
  {
    label: texts.activity.who,
    cell: ({ actor }) => <TwoLines first={actor.name} second={texts.activity.kinds[actor.kind]} />,
  },
  createdColumn(texts.webhooks.when, { align: 'end' }),
];
