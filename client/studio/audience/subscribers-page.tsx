import type { ApiClient, OutputOf } from '../../sdk/index.ts';
import { useApi } from '../data/api.tsx';
import { texts } from '../texts/texts.ts';
import { createdColumn } from '../ui/created-column.tsx';
import { type Column, TwoLines } from '../ui/data-table.tsx';
import { IconMail } from '../ui/icons.ts';
import { Screen } from '../ui/screen.tsx';
import { ListTools } from './list-tools.tsx';
import { PagedList } from './paged-list.tsx';
import { useAsked } from './use-asked.ts';

type Subscriber = OutputOf<ApiClient['studio']['subscribers']['list']>['items'][number];

/** Who gets the newsletter. */
export function SubscribersPage() {
  const { studio } = useApi();
  const { asked } = useAsked();
  return (
    <Screen title={texts.subscribers.title} lead={texts.subscribers.lead}>
      <ListTools label={texts.subscribers.search} />
      <PagedList
        name="subscribers"
        label={texts.subscribers.title}
        list={studio.subscribers.list}
        asked={{ q: asked('q') }}
        columns={subscriberColumns}
        empty={{ icon: IconMail, title: texts.subscribers.none, lead: texts.subscribers.noneLead }}
      />
    </Screen>
  );
}

const subscriberColumns: Column<Subscriber>[] = [
  {
    label: texts.subscribers.subscriber,
    cell: ({ email, name }) => <TwoLines first={email} second={name} />,
  },
  { label: texts.subscribers.source, isDetail: true, cell: ({ source }) => source },
  createdColumn(texts.subscribers.since, { align: 'end' }),
];
