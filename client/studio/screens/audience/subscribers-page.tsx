import { Checkbox, TextInput } from '@mantine/core';
import { IconMail, IconX } from '@tabler/icons-react';
import { useState } from 'react';
import { AddSubscriber } from '../../../../shared/contract/audience/subscriber.ts';
import type { ApiClient, OutputOf } from '../../../sdk/index.ts';
import { useApi } from '../../data/api.tsx';
import { useMayWrite } from '../../data/permissions.ts';
import { FormDialog } from '../../forms/form-view.tsx';
import { textOf, tickOf } from '../../forms/input-props.ts';
import { useDialogForm } from '../../forms/use-form.ts';
import { ExportButton } from '../../records/list/export-button.tsx';
import { ListScreen } from '../../records/list/list-screen.tsx';
import { useStatus } from '../../records/list/list-tools.tsx';
import { pagesOf, useListAddress, useListPage } from '../../records/list/use-list-page.ts';
import { SubscriberBadge } from '../../records/state-badge.tsx';
import { strings } from '../../strings/ui-strings.ts';
import { useConfirm } from '../../ui/confirm.tsx';
import { nameColumn, stateColumn, type TableColumn, timeColumn } from '../../ui/data-table.tsx';
import { deletion } from '../../ui/row-menu.tsx';

type Subscriber = OutputOf<ApiClient['studio']['subscribers']['list']>['items'][number];

const labels = strings.subscribers;

export default function SubscribersPage() {
  const { studio } = useApi();
  const [mayEdit, mayExport] = [useMayWrite('audience'), useMayWrite('site')];
  const { param } = useListAddress();
  const [status, byStatus] = useStatus(labels.statuses);
  const endings = useEndings();
  return (
    <ListScreen
      {...{ words: labels, columns }}
      icon={IconMail}
      list={useListPage(pagesOf('subscribers', studio.subscribers.list, { q: param('q'), status }))}
      menu={mayEdit && { nameOf: ({ email }) => email, actionsOf: endings }}
      actions={mayExport && <ExportButton requestExport={() => studio.subscribers.export.mutate()} />}
      only={[byStatus]}
      mayAdd={mayEdit}
      form={(_, close) => <SubscriberDialog onClose={close} />}
    />
  );
}

const columns: TableColumn<Subscriber>[] = [
  nameColumn(labels.subscriber, ({ id, email, name }) => ({
    to: `/subscribers/${id}`,
    first: email,
    second: name,
  })),
  { label: labels.source, column: 'detail', cell: ({ source }) => source },
  timeColumn('created', strings.common.since),
  stateColumn(({ status }) => <SubscriberBadge status={status} />),
];

/** Returns actions that end a subscription after confirmation. */
function useEndings() {
  const { studio } = useApi();
  const confirm = useConfirm();
  const unsubscribe = ({ id, email }: Subscriber) =>
    confirm({
      title: labels.unsubscribeOne(email),
      lead: labels.unsubscribeLead,
      action: labels.unsubscribe,
      run: () => studio.subscribers.update.mutate({ id, status: 'unsubscribed' }),
      refreshes: ['subscribers'],
      done: labels.unsubscribed(email),
    });
  const remove = ({ id, email }: Subscriber) =>
    confirm({
      title: labels.remove(email),
      lead: labels.removeLead,
      action: strings.common.delete,
      run: () => studio.subscribers.delete.mutate({ id }),
      refreshes: ['subscribers'],
      done: labels.removed(email),
    });
  return (one: Subscriber) => [
    (one.status === 'active' || one.status === 'pending') && {
      label: labels.unsubscribe,
      icon: IconX,
      run: () => unsubscribe(one),
    },
    deletion(() => remove(one)),
  ];
}

/** Dialog that adds a subscriber. They receive a confirmation email, unless the owner states that they have consented. */
function SubscriberDialog({ onClose }: { onClose(): void }) {
  const { studio } = useApi();
  // Stated time of the consent. It is constant while the dialog is open, so that a repeated request equals the first.
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
    done: (made, { email }) => (made?.status === 'pending' ? labels.asked(email) : labels.added(email)),
  });
  return (
    <FormDialog title={labels.add} action={labels.add} {...{ form, onClose }}>
      <TextInput type="email" label={strings.session.email} {...textOf(form, 'email')} data-autofocus />
      <TextInput label={strings.keys.name.label} {...textOf(form, 'name')} />
      <Checkbox size="sm" {...labels.isConfirmed} {...tickOf(form, 'isConfirmed')} />
    </FormDialog>
  );
}
