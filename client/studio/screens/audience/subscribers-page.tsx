import { Checkbox, TextInput } from '@mantine/core';
import { useState } from 'react';
import { AddSubscriber } from '../../../../shared/contract/kinds/subscriber.ts';
import type { ApiClient, OutputOf } from '../../../sdk/index.ts';
import { useApi } from '../../data/api.tsx';
import { useMayWrite } from '../../data/rights.ts';
import { FormDialog } from '../../forms/form-view.tsx';
import { textOf, tickOf } from '../../forms/input-props.ts';
import { useDialogForm } from '../../forms/use-form.ts';
import { ExportButton } from '../../records/list/export-button.tsx';
import { ListScreen } from '../../records/list/list-screen.tsx';
import { useStatus } from '../../records/list/list-tools.tsx';
import { pagesOf, useListAddress, useListPage } from '../../records/list/use-list-page.ts';
import { SubscriberBadge } from '../../records/state-badge.tsx';
import { texts } from '../../strings/texts.ts';
import { momentColumn, nameColumn, stateColumn } from '../../ui/columns.tsx';
import { useConfirm } from '../../ui/confirm.tsx';
import type { TableColumn } from '../../ui/data-table.tsx';
import { IconMail, IconX } from '../../ui/icons.ts';
import { deletion } from '../../ui/row-menu.tsx';

type Subscriber = OutputOf<ApiClient['studio']['subscribers']['list']>['items'][number];

const words = texts.subscribers;

export default function SubscribersPage() {
  const { studio } = useApi();
  const [mayEdit, mayExport] = [useMayWrite('audience'), useMayWrite('site')];
  const { param } = useListAddress();
  const [status, byStatus] = useStatus(words.statuses);
  const endings = useEndings();
  return (
    <ListScreen
      {...{ words, columns }}
      icon={IconMail}
      list={useListPage(pagesOf('subscribers', studio.subscribers.list, { q: param('q'), status }))}
      menu={mayEdit && { nameOf: ({ email }) => email, actionsOf: endings }}
      actions={mayExport && <ExportButton ask={() => studio.subscribers.export.mutate()} />}
      only={[byStatus]}
      mayAdd={mayEdit}
      form={(_, close) => <SubscriberDialog onClose={close} />}
    />
  );
}

const columns: TableColumn<Subscriber>[] = [
  nameColumn(words.subscriber, ({ id, email, name }) => ({
    to: `/subscribers/${id}`,
    first: email,
    second: name,
  })),
  { label: words.source, place: 'detail', cell: ({ source }) => source },
  momentColumn('created', texts.common.since),
  stateColumn(({ status }) => <SubscriberBadge status={status} />),
];

/** Returns actions that end a subscription after confirmation. */
function useEndings() {
  const { studio } = useApi();
  const ask = useConfirm();
  const unsubscribe = ({ id, email }: Subscriber) =>
    ask({
      title: words.unsubscribeOne(email),
      lead: words.unsubscribeLead,
      action: words.unsubscribe,
      run: () => studio.subscribers.update.mutate({ id, status: 'unsubscribed' }),
      refreshes: ['subscribers'],
      done: words.unsubscribed(email),
    });
  const remove = ({ id, email }: Subscriber) =>
    ask({
      title: words.remove(email),
      lead: words.removeLead,
      action: texts.common.delete,
      run: () => studio.subscribers.delete.mutate({ id }),
      refreshes: ['subscribers'],
      done: words.removed(email),
    });
  return (one: Subscriber) => [
    (one.status === 'active' || one.status === 'pending') && {
      label: words.unsubscribe,
      icon: IconX,
      run: () => unsubscribe(one),
    },
    deletion(() => remove(one)),
  ];
}

/** Dialog that adds a subscriber. They receive a confirmation email, unless the owner states that they have consented. */
function SubscriberDialog({ onClose }: { onClose(): void }) {
  const { studio } = useApi();
  // Constant, so that a repeated request is equal to the first.
  const [openedAt] = useState(() => new Date());
  const form = useDialogForm({
    initial: { email: '', name: '', isConfirmed: false },
    contract: AddSubscriber,
    toInput: ({ isConfirmed, ...values }) => ({ ...values, ...(isConfirmed && { confirmed_at: openedAt }) }),
    way: {
      make: {
        name: 'subscribers',
        send: (input: object, options: { idempotencyKey: string }) =>
          studio.subscribers.create.mutate(AddSubscriber.parse(input), options),
      },
    },
    refreshes: ['subscribers'],
    onClose,
    done: (made, { email }) => (made?.status === 'pending' ? words.asked(email) : words.added(email)),
  });
  return (
    <FormDialog title={words.add} action={words.add} {...{ form, onClose }}>
      <TextInput type="email" label={texts.session.email} {...textOf(form, 'email')} data-autofocus />
      <TextInput label={texts.keys.name.label} {...textOf(form, 'name')} />
      <Checkbox size="sm" {...words.isConfirmed} {...tickOf(form, 'isConfirmed')} />
    </FormDialog>
  );
}
