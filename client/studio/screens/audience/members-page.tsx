import { Badge, Checkbox, Group, Switch, TextInput } from '@mantine/core';
import { IconUsers } from '@tabler/icons-react';
import { UpdateMember } from '../../../../shared/contract/features/member.ts';
import { accessTierLabels, accessTiers } from '../../../../shared/contract/resources/access-tier.ts';
import { sitePaths } from '../../../../shared/contract/site-paths.ts';
import type { ApiClient, OutputOf } from '../../../sdk/index.ts';
import { useApi } from '../../data/api.tsx';
import { useMayWrite } from '../../data/permissions.ts';
import { changeOf } from '../../forms/form-values.ts';
import { FormDialog } from '../../forms/form-view.tsx';
import { textOf, ticksOf } from '../../forms/input-props.ts';
import { useDialogForm } from '../../forms/use-form.ts';
import { ExportButton } from '../../records/list/export-button.tsx';
import { ListScreen, ToSite } from '../../records/list/list-screen.tsx';
import { rowsPerPage } from '../../records/list/list-search.ts';
import { useOnly, useStatus } from '../../records/list/list-tools.tsx';
import { useListAddress, useListPage } from '../../records/list/use-list-page.ts';
import { strings } from '../../strings/ui-strings.ts';
import { nameColumn, stateColumn, type TableColumn, timeColumn } from '../../ui/data-table.tsx';
import { Dot } from '../../ui/dot.tsx';
import { editing } from '../../ui/row-menu.tsx';

type OwnMember = OutputOf<ApiClient['studio']['members']['get']>;

const labels = strings.members;

export default function MembersPage() {
  const { studio } = useApi();
  const [mayEdit, mayExport] = [useMayWrite('audience'), useMayWrite('site')];
  const { param } = useListAddress();
  const [status, byStatus] = useStatus(labels.statuses);
  const [tier, byTier] = useOnly('tier', {
    label: labels.tiers.label,
    all: labels.anyTier,
    choices: accessTierLabels,
  });
  const narrowing = { q: param('q'), status: status && [status], access_tiers: tier && [tier] };
  const list = useListPage((page) => ({
    queryKey: ['members', 'list', narrowing, page],
    queryFn: ({ signal }) =>
      studio.members.list.query({ ...narrowing, page, per_page: rowsPerPage }, { signal }),
  }));
  return (
    <ListScreen
      {...{ words: labels, list, columns }}
      icon={IconUsers}
      menu={
        mayEdit && { nameOf: ({ name, email }) => name || email, actionsOf: (_, edit) => [editing(edit)] }
      }
      form={(member, onClose) => member && <MemberDialog {...{ member, onClose }} />}
      actions={mayExport && <ExportButton requestExport={() => studio.members.export.mutate()} />}
      only={[byStatus, byTier]}
      begin={<ToSite path={sitePaths.signIn}>{labels.toSite}</ToSite>}
    />
  );
}

const columns: TableColumn<OwnMember>[] = [
  nameColumn(labels.member, ({ name, email }) => ({ first: name || email, second: email })),
  {
    label: labels.tiers.label,
    column: 'detail',
    cell: ({ access_tiers }) => (
      <Group gap={4}>
        {access_tiers.map((tier) => (
          <Badge key={tier} color="gray">
            {accessTierLabels[tier]}
          </Badge>
        ))}
      </Group>
    ),
  },
  timeColumn('last_seen_at', labels.seen, { column: 'detail' }),
  timeColumn('created', labels.joined),
  stateColumn(({ status }) => (
    <Dot tone={status === 'active' ? 'good' : 'bad'} label={labels.statuses[status]} />
  )),
];

const valuesOf = ({ name, status, access_tiers }: OwnMember) => ({ name, status, access_tiers });

function MemberDialog({ member, onClose }: { member: OwnMember; onClose(): void }) {
  const { studio } = useApi();
  const { id } = member;
  const form = useDialogForm({
    initial: valuesOf(member),
    contract: UpdateMember.omit({ id: true }),
    way: {
      change: changeOf(member, {
        valuesOf,
        read: () => studio.members.get.query({ id }),
        update: (input, options) =>
          studio.members.update.mutate(UpdateMember.parse({ id, ...input }), options),
      }),
    },
    refreshes: ['members'],
    onClose,
  });
  const { values, set } = form;
  return (
    <FormDialog title={member.email} action={strings.common.save} form={form} onClose={onClose}>
      <TextInput label={strings.keys.name.label} {...textOf(form, 'name')} />
      <Checkbox.Group {...labels.tiers} {...ticksOf(form, 'access_tiers', accessTiers)}>
        <Group gap="lg" mb={6}>
          {accessTiers.map((tier) => (
            <Checkbox key={tier} size="sm" value={tier} label={accessTierLabels[tier]} />
          ))}
        </Group>
      </Checkbox.Group>
      <Switch
        label={labels.maySignIn}
        checked={values.status === 'active'}
        onChange={({ currentTarget }) => set('status', currentTarget.checked ? 'active' : 'blocked')}
      />
    </FormDialog>
  );
}
