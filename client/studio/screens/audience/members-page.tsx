import { Badge, Checkbox, Group, Switch, TextInput } from '@mantine/core';
import { UpdateMember } from '../../../../shared/contract/features/member.ts';
import { accessTierLabels, accessTiers } from '../../../../shared/contract/resources/access-tier.ts';
import { sitePaths } from '../../../../shared/contract/site-paths.ts';
import type { ApiClient, OutputOf } from '../../../sdk/index.ts';
import { useApi } from '../../data/api.tsx';
import { useMayWrite } from '../../data/rights.ts';
import { changeOf } from '../../forms/form-values.ts';
import { FormDialog } from '../../forms/form-view.tsx';
import { textOf } from '../../forms/input-props.ts';
import { useDialogForm } from '../../forms/use-form.ts';
import { ExportButton } from '../../records/list/export-button.tsx';
import { ListScreen, ToSite } from '../../records/list/list-screen.tsx';
import { rowsPerPage } from '../../records/list/list-search.ts';
import { useOnly, useStatus } from '../../records/list/list-tools.tsx';
import { useListAddress, useListPage } from '../../records/list/use-list-page.ts';
import { texts } from '../../strings/texts.ts';
import { momentColumn, nameColumn, stateColumn } from '../../ui/columns.tsx';
import type { TableColumn } from '../../ui/data-table.tsx';
import { Dot } from '../../ui/dot.tsx';
import { IconUsers } from '../../ui/icons.ts';
import { editing } from '../../ui/row-menu.tsx';

type OwnMember = OutputOf<ApiClient['studio']['members']['get']>;

const words = texts.members;

export default function MembersPage() {
  const { studio } = useApi();
  const [mayEdit, mayExport] = [useMayWrite('audience'), useMayWrite('site')];
  const { param } = useListAddress();
  const [status, byStatus] = useStatus(words.statuses);
  const [tier, byTier] = useOnly('tier', {
    label: words.tiers.label,
    all: words.anyTier,
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
      {...{ words, list, columns }}
      icon={IconUsers}
      menu={
        mayEdit && { nameOf: ({ name, email }) => name || email, actionsOf: (_, edit) => [editing(edit)] }
      }
      form={(member, onClose) => member && <MemberDialog {...{ member, onClose }} />}
      actions={mayExport && <ExportButton ask={() => studio.members.export.mutate()} />}
      only={[byStatus, byTier]}
      begin={<ToSite path={sitePaths.signIn}>{words.toSite}</ToSite>}
    />
  );
}

const columns: TableColumn<OwnMember>[] = [
  nameColumn(words.member, ({ name, email }) => ({ first: name || email, second: email })),
  {
    label: words.tiers.label,
    place: 'detail',
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
  momentColumn('last_seen_at', words.seen, { place: 'detail' }),
  momentColumn('created', words.joined),
  stateColumn(({ status }) => (
    <Dot tone={status === 'active' ? 'good' : 'bad'} label={words.statuses[status]} />
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
  const { values, problems, set } = form;
  return (
    <FormDialog title={member.email} action={texts.common.save} form={form} onClose={onClose}>
      <TextInput label={texts.keys.name.label} {...textOf(form, 'name')} />
      <Checkbox.Group
        {...words.tiers}
        value={values.access_tiers}
        error={problems.access_tiers}
        onChange={(tiers) =>
          set(
            'access_tiers',
            accessTiers.filter((tier) => tiers.includes(tier)),
          )
        }
      >
        <Group gap="lg" mb={6}>
          {accessTiers.map((tier) => (
            <Checkbox key={tier} size="sm" value={tier} label={accessTierLabels[tier]} />
          ))}
        </Group>
      </Checkbox.Group>
      <Switch
        label={words.maySignIn}
        checked={values.status === 'active'}
        onChange={({ currentTarget }) => set('status', currentTarget.checked ? 'active' : 'blocked')}
      />
    </FormDialog>
  );
}
