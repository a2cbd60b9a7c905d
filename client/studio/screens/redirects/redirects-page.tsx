import { Group, Radio, TextInput } from '@mantine/core';
import { IconDirections } from '@tabler/icons-react';
import { CreateRedirect, UpdateRedirect } from '../../../../shared/contract/features/redirects.ts';
import { resources } from '../../../../shared/contract/resources/index.ts';
import type { ApiClient, OutputOf } from '../../../sdk/index.ts';
import { useApi } from '../../data/api.tsx';
import { wayOf } from '../../forms/form-values.ts';
import { FormDialog } from '../../forms/form-view.tsx';
import { textOf } from '../../forms/input-props.ts';
import { useDialogForm } from '../../forms/use-form.ts';
import { ListScreen } from '../../records/list/list-screen.tsx';
import { pagesOf, useListAddress, useListPage } from '../../records/list/use-list-page.ts';
import { strings } from '../../strings/ui-strings.ts';
import { useConfirm } from '../../ui/confirm.tsx';
import { nameColumn, type TableColumn, timeColumn } from '../../ui/data-table.tsx';
import { deletion, editing } from '../../ui/row-menu.tsx';

export default function RedirectsPage() {
  const { studio } = useApi();
  const { param } = useListAddress();
  const remove = useRemoval();
  return (
    <ListScreen
      words={strings.redirects}
      icon={IconDirections}
      list={useListPage(pagesOf('redirects', studio.redirects.list, { q: param('q') }))}
      columns={columns}
      menu={{
        nameOf: ({ from }) => shown(from),
        actionsOf: (redirect, edit) => [editing(edit), deletion(() => remove(redirect))],
      }}
      form={(edited, onClose) => <RedirectDialog {...{ edited, onClose }} />}
    />
  );
}

/** Decodes an address for display. */
function shown(address: string): string {
  try {
    return decodeURI(address);
  } catch {
    return address;
  }
}

const columns: TableColumn<RedirectRow>[] = [
  nameColumn(strings.redirects.from.label, ({ from, to }) => ({
    first: shown(from),
    second: to === '' ? strings.redirects.nowhere : `→ ${shown(to)}`,
  })),
  {
    label: strings.redirects.permanent,
    column: 'state',
    cell: ({ permanent }) => strings.redirects.kinds[permanent ? 'permanent' : 'temporary'],
  },
  timeColumn('created', strings.lists.created),
];

function useRemoval() {
  const { studio } = useApi();
  const confirm = useConfirm();
  return ({ id, from }: RedirectRow) =>
    confirm({
      title: strings.redirects.remove(shown(from)),
      lead: strings.redirects.removeLead,
      action: strings.common.delete,
      run: () => studio.redirects.delete.mutate({ id }),
      refreshes: ['redirects'],
      done: strings.redirects.removed(shown(from)),
    });
}

type RedirectRow = OutputOf<ApiClient['studio']['redirects']['get']>;

const nothing = { from: '', to: '', permanent: true };

const valuesOf = ({ from, to, permanent }: RedirectRow) => ({ from, to, permanent });

/** Dialog that changes a redirect, or creates one if `edited` is null. */
function RedirectDialog({ edited, onClose }: { edited: RedirectRow | null; onClose(): void }) {
  const { redirects } = useApi().studio;
  const form = useDialogForm({
    initial: edited ? valuesOf(edited) : nothing,
    contract: edited ? UpdateRedirect.omit({ id: true }) : CreateRedirect,
    way: wayOf(edited, {
      name: 'redirects',
      valuesOf,
      read: (id) => redirects.get.query({ id }),
      create: (input, options) => redirects.create.mutate(CreateRedirect.parse(input), options),
      update: (input, options) => redirects.update.mutate(UpdateRedirect.parse(input), options),
    }),
    refreshes: ['redirects'],
    onClose,
    done: (made, { from }) => (made ? strings.redirects.added(from) : strings.common.changesSaved),
  });
  const { values, problems, set } = form;
  const labels = strings.redirects;
  const address = edited?.collection ? labels.ofRecord(resources[edited.collection].name) : labels.toHelp;
  return (
    <FormDialog
      title={edited ? labels.edit : labels.add}
      action={edited ? strings.common.save : labels.add}
      {...{ form, onClose }}
    >
      <TextInput {...labels.from} placeholder="/2019/05/types" {...textOf(form, 'from')} data-autofocus />
      <TextInput
        label={labels.to}
        description={address}
        placeholder="/posts/why-types-pay"
        {...textOf(form, 'to')}
      />
      <Radio.Group
        label={labels.permanent}
        description={labels.kindsHelp}
        value={String(values.permanent)}
        error={problems.permanent}
        onChange={(value) => set('permanent', value === 'true')}
      >
        <Group gap="lg" mb={6}>
          <Radio size="sm" value="true" label={labels.kinds.permanent} />
          <Radio size="sm" value="false" label={labels.kinds.temporary} />
        </Group>
      </Radio.Group>
    </FormDialog>
  );
}
