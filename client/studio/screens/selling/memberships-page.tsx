import { TextInput } from '@mantine/core';
import { IconRefresh } from '@tabler/icons-react';
import { CorrectMembership } from '../../../../shared/contract/audience/membership.ts';
import { formatAmount } from '../../../../shared/contract/currencies.ts';
import type { ApiClient, OutputOf } from '../../../sdk/index.ts';
import { useApi } from '../../data/api.tsx';
import { useMayWrite } from '../../data/permissions.ts';
import { FormDialog } from '../../forms/form-view.tsx';
import { textOf } from '../../forms/input-props.ts';
import { useDialogForm } from '../../forms/use-form.ts';
import { ListScreen } from '../../records/list/list-screen.tsx';
import { useStatus } from '../../records/list/list-tools.tsx';
import { pagesOf, useListAddress, useListPage } from '../../records/list/use-list-page.ts';
import { strings } from '../../strings/ui-strings.ts';
import { nameColumn, stateColumn, type TableColumn, timeColumn } from '../../ui/data-table.tsx';
import { Dot } from '../../ui/dot.tsx';
import { editing } from '../../ui/row-menu.tsx';

type MembershipRow = OutputOf<ApiClient['studio']['memberships']['list']>['items'][number];

const labels = strings.memberships;

/** Recurring payments of the site. */
export default function MembershipsPage() {
  const { studio } = useApi();
  const mayWrite = useMayWrite('audience');
  const { param } = useListAddress();
  const [state, byState] = useStatus(labels.states);
  return (
    <ListScreen
      {...{ words: labels, columns }}
      icon={IconRefresh}
      list={useListPage(pagesOf('memberships', studio.memberships.list, { q: param('q'), state }))}
      only={[byState]}
      menu={mayWrite && { nameOf: ({ email }) => email, actionsOf: (_, edit) => [editing(edit)] }}
      form={(row, onClose) => row && <AddressDialog {...{ row, onClose }} />}
    />
  );
}

const tones = { trialing: 'good', active: 'good', past_due: 'bad', ended: 'off' } as const;

const priceOf = ({ amount, currency, interval }: MembershipRow) =>
  amount !== null && currency ? formatAmount(amount, currency) + strings.offers.each[interval ?? 'once'] : '';

const columns: TableColumn<MembershipRow>[] = [
  nameColumn(labels.member, (row) => ({ first: row.email, second: priceOf(row) || row.provider })),
  timeColumn('open_until', labels.openUntil, { column: 'detail' }),
  timeColumn('created', labels.joined),
  stateColumn(({ state, livemode }) => (
    <Dot
      tone={tones[state]}
      label={livemode ? labels.states[state] : strings.offers.tested(labels.states[state])}
    />
  )),
];

/** Dialog that corrects the email address that a membership belongs to. */
function AddressDialog({ row, onClose }: { row: MembershipRow; onClose(): void }) {
  const { memberships } = useApi().studio;
  const { id, email } = row;
  const form = useDialogForm({
    initial: { email },
    contract: CorrectMembership.omit({ id: true }),
    way: {
      change: {
        read: async () => ({ values: { email } }),
        write: (input) => memberships.update.mutate(CorrectMembership.parse({ id, ...input })),
      },
    },
    refreshes: ['memberships'],
    onClose,
  });
  return (
    <FormDialog title={labels.edit} action={strings.common.save} {...{ form, onClose }}>
      <TextInput type="email" label={strings.session.email} {...textOf(form, 'email')} data-autofocus />
    </FormDialog>
  );
}
