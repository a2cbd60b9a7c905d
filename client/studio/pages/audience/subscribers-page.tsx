import { Button } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { subscriberStatuses } from '../../../../shared/contract/kinds/subscriber.ts';
import type { ApiClient, OutputOf } from '../../../sdk/index.ts';
import { useApi } from '../../data/api.tsx';
import { useMayWrite } from '../../data/rights.ts';
import { ExportButton } from '../../kinds/list/export-button.tsx';
import { ListTools, Only } from '../../kinds/list/list-tools.tsx';
import { PagedList } from '../../kinds/list/paged-list.tsx';
import { oneOf, useListAddress } from '../../kinds/list/use-list-address.ts';
import { pagesOf, useListPage } from '../../kinds/list/use-list-page.ts';
import { subscriberTones } from '../../kinds/subscriber-tones.ts';
import { texts } from '../../texts/texts.ts';
import { useConfirm } from '../../ui/confirm.tsx';
import { RowLink, type TableColumn, TwoLines } from '../../ui/data-table.tsx';
import { Dot } from '../../ui/dot.tsx';
import { Empty } from '../../ui/empty.tsx';
import { IconMail, IconPlus, IconTrash, IconX } from '../../ui/icons.ts';
import { momentColumn } from '../../ui/moment-column.tsx';
import { RowMenu } from '../../ui/row-menu.tsx';
import { Screen } from '../../ui/screen.tsx';
import { toast } from '../../ui/toast.tsx';
import { SubscriberDialog } from './subscriber-dialog.tsx';

type Subscriber = OutputOf<ApiClient['studio']['subscribers']['list']>['items'][number];

const words = texts.subscribers;

/** Who gets the newsletter. */
export function SubscribersPage() {
  const { studio } = useApi();
  const [mayEdit, mayExport] = [useMayWrite('audience'), useMayWrite('site')];
  const { param } = useListAddress();
  const status = oneOf(subscriberStatuses, param('status'));
  const [isAdding, setAdding] = useState(false);
  const endings = useEndings();
  const add = mayEdit && (
    <Button leftSection={<IconPlus size={16} />} onClick={() => setAdding(true)}>
      {words.add}
    </Button>
  );
  const actions: TableColumn<Subscriber> = {
    label: texts.common.actions,
    place: 'actions',
    cell: (subscriber) => <RowMenu of={subscriber.email} actions={endings.actionsFor(subscriber)} />,
  };
  return (
    <Screen
      title={words.title}
      lead={words.lead}
      actions={
        <>
          {mayExport && <ExportButton ask={() => studio.subscribers.export.mutate()} />}
          {add}
        </>
      }
    >
      <ListTools label={words.search}>
        <Only
          name="status"
          label={texts.records.state}
          all={words.anyStatus}
          choices={subscriberStatuses.map((value) => ({ value, label: words.statuses[value] }))}
        />
      </ListTools>
      <PagedList
        list={useListPage(pagesOf('subscribers', studio.subscribers.list, { q: param('q'), status }))}
        label={words.title}
        columns={mayEdit ? [...columns, actions] : columns}
        empty={<Empty icon={IconMail} title={words.none} lead={words.noneLead} action={add} />}
      />
      {isAdding && <SubscriberDialog onClose={() => setAdding(false)} />}
      {endings.dialog}
    </Screen>
  );
}

const columns: TableColumn<Subscriber>[] = [
  {
    label: words.subscriber,
    cell: ({ id, email, name }) => (
      <TwoLines
        first={
          <RowLink>
            {(className) => (
              <Link to="/subscribers/$id" params={{ id }} className={className}>
                {email}
              </Link>
            )}
          </RowLink>
        }
        second={name}
      />
    ),
  },
  { label: words.source, place: 'detail', cell: ({ source }) => source },
  momentColumn('created', words.since),
  {
    label: texts.records.state,
    place: 'state',
    cell: ({ status }) => <Dot tone={subscriberTones[status]} label={words.statuses[status]} />,
  },
];

/** What ends a subscription, each asked for before it is done. */
function useEndings() {
  const { studio } = useApi();
  const queries = useQueryClient();
  const { ask, dialog } = useConfirm();
  const end = async (work: Promise<unknown>, done: string) => {
    await work;
    await queries.invalidateQueries({ queryKey: ['subscribers'] });
    toast(done);
  };
  const unsubscribe = ({ id, email }: Subscriber) =>
    ask({
      title: words.unsubscribeOne(email),
      lead: words.unsubscribeLead,
      action: words.unsubscribe,
      run: () =>
        end(studio.subscribers.update.mutate({ id, status: 'unsubscribed' }), words.unsubscribed(email)),
    });
  const remove = ({ id, email }: Subscriber) =>
    ask({
      title: words.remove(email),
      lead: words.removeLead,
      action: texts.common.delete,
      run: () => end(studio.subscribers.delete.mutate({ id }), words.removed(email)),
    });
  return {
    dialog,
    actionsFor: (one: Subscriber) => [
      ...(one.status === 'active' || one.status === 'pending'
        ? [{ label: words.unsubscribe, icon: IconX, run: () => unsubscribe(one) }]
        : []),
      { label: texts.common.delete, icon: IconTrash, run: () => remove(one), isDangerous: true },
    ],
  };
}
