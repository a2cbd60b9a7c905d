import { Badge, Checkbox, Group, Switch, TextInput } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { accessTiers } from '../../../shared/contract/access-tier.ts';
import { Member, UpdateMember } from '../../../shared/contract/member.ts';
import type { ApiClient, OutputOf } from '../../sdk/index.ts';
import { useApi } from '../data/api.tsx';
import { tagOf } from '../data/write-on-top.ts';
import { useForm } from '../fields/use-form.ts';
import { briefly } from '../texts/moments.ts';
import { capitalised } from '../texts/names.ts';
import { texts } from '../texts/texts.ts';
import { createdColumn } from '../ui/created-column.tsx';
import { type Column, TwoLines } from '../ui/data-table.tsx';
import { Dot } from '../ui/dot.tsx';
import { FormDialog } from '../ui/form-dialog.tsx';
import { IconEdit, IconUsers } from '../ui/icons.ts';
import { RowMenu } from '../ui/row-menu.tsx';
import { Screen } from '../ui/screen.tsx';
import { say } from '../ui/toast.tsx';
import { ListTools, Only } from './list-tools.tsx';
import { PagedList } from './paged-list.tsx';
import { oneOf, useAsked } from './use-asked.ts';

type OwnMember = OutputOf<ApiClient['studio']['members']['get']>;

const statuses = Member.shape.status.options;

/** Who has an account on the site. */
export function MembersPage() {
  const { studio } = useApi();
  const { asked } = useAsked();
  const status = oneOf(statuses, asked('status'));
  const tier = oneOf(accessTiers, asked('tier'));
  const [edited, setEdited] = useState<OwnMember | null>(null);
  const columns: Column<OwnMember>[] = [
    {
      label: texts.members.member,
      cell: ({ name, email }) => <TwoLines first={name || email} second={email} />,
    },
    {
      label: texts.members.tiers,
      isDetail: true,
      cell: ({ access_tiers }) => (
        <Group gap={4}>
          {access_tiers.map((tier) => (
            <Badge key={tier} color="gray">
              {tier}
            </Badge>
          ))}
        </Group>
      ),
    },
    {
      label: texts.members.seen,
      isDetail: true,
      cell: ({ last_seen_at }) => (last_seen_at ? briefly(last_seen_at) : texts.common.never),
    },
    createdColumn(texts.members.joined, { isDetail: true }),
    {
      label: texts.records.state,
      cell: ({ status }) => (
        <Dot tone={status === 'active' ? 'good' : 'bad'} label={texts.members.statuses[status]} />
      ),
    },
    {
      label: texts.common.actions,
      align: 'end',
      cell: (member) => (
        <RowMenu
          of={member.name || member.email}
          actions={[{ label: texts.common.edit, icon: IconEdit, run: () => setEdited(member) }]}
        />
      ),
    },
  ];
  return (
    <Screen title={texts.members.title} lead={texts.members.lead}>
      <ListTools label={texts.members.search}>
        <Only
          name="status"
          label={texts.records.state}
          all={texts.members.anyStatus}
          choices={statuses.map((value) => ({ value, label: texts.members.statuses[value] }))}
        />
        <Only
          name="tier"
          label={texts.members.tiers}
          all={texts.members.anyTier}
          choices={accessTiers.map((value) => ({ value, label: capitalised(value) }))}
        />
      </ListTools>
      <PagedList
        name="members"
        label={texts.members.title}
        list={studio.members.list}
        asked={{
          q: asked('q'),
          status: status && [status],
          access_tiers: tier && [tier],
        }}
        columns={columns}
        empty={{ icon: IconUsers, title: texts.members.none, lead: texts.members.noneLead }}
      />
      {edited && <MemberDialog key={edited.id} member={edited} onClose={() => setEdited(null)} />}
    </Screen>
  );
}

const savedOf = ({ name, status, access_tiers, updated }: OwnMember) => ({
  values: { name, status, access_tiers },
  tag: tagOf(updated),
});

function MemberDialog({ member, onClose }: { member: OwnMember; onClose(): void }) {
  const { studio } = useApi();
  const queries = useQueryClient();
  const { id } = member;
  const opened = savedOf(member);
  const form = useForm({
    initial: opened.values,
    contract: UpdateMember,
    toInput: (values) => ({ id, ...values }),
    kindOf: (name) => (name === 'access_tiers' ? 'list' : undefined),
    way: {
      change: {
        tag: opened.tag,
        read: async () => savedOf(await studio.members.get.query({ id })),
        write: (input, options) => studio.members.update.mutate(UpdateMember.parse(input), options),
      },
    },
    onSent: () => {
      void queries.invalidateQueries({ queryKey: ['members'] });
      onClose();
      say(texts.common.changesSaved);
    },
  });
  const { values, problems, set } = form;
  return (
    <FormDialog title={member.email} action={texts.common.save} form={form} onClose={onClose}>
      <TextInput
        label={texts.keys.name}
        value={values.name}
        error={problems.name}
        onChange={({ currentTarget }) => set('name', currentTarget.value)}
      />
      <Checkbox.Group
        label={texts.members.tiers}
        description={texts.members.tiersHelp}
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
            <Checkbox key={tier} size="sm" value={tier} label={capitalised(tier)} />
          ))}
        </Group>
      </Checkbox.Group>
      <Switch
        label={texts.members.maySignIn}
        checked={values.status === 'active'}
        onChange={({ currentTarget }) => set('status', currentTarget.checked ? 'active' : 'blocked')}
      />
    </FormDialog>
  );
}
