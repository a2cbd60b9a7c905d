import { NumberInput, Select, SimpleGrid, Switch, TextInput } from '@mantine/core';
import { IconCreditCard } from '@tabler/icons-react';
import { CorrectPurchase, purchase } from '../../../../shared/contract/audience/purchase.ts';
import { formatAmount } from '../../../../shared/contract/currencies.ts';
import { keysOf, tableOf } from '../../../../shared/contract/names-of.ts';
import type { Resource } from '../../../../shared/contract/resource.ts';
import { resources } from '../../../../shared/contract/resources/index.ts';
import type { ApiClient, InputOf, OutputOf } from '../../../sdk/index.ts';
import { useApi } from '../../data/api.tsx';
import { useMayWrite } from '../../data/permissions.ts';
import { singularOf } from '../../data/record-shape.ts';
import { FormDialog } from '../../forms/form-view.tsx';
import { choicesOf, inputOf, textOf } from '../../forms/input-props.ts';
import { useDialogForm } from '../../forms/use-form.ts';
import { ListScreen } from '../../records/list/list-screen.tsx';
import { useOnly, useStatus } from '../../records/list/list-tools.tsx';
import { oneOf, pagesOf, useListAddress, useListPage } from '../../records/list/use-list-page.ts';
import { RecordSelect, useChoices, useRecording } from '../../records/recording-form.tsx';
import { describeProblem } from '../../strings/failures.ts';
import { capitalised } from '../../strings/names.ts';
import { strings } from '../../strings/ui-strings.ts';
import { nameColumn, stateColumn, type TableColumn, timeColumn } from '../../ui/data-table.tsx';
import { Dot } from '../../ui/dot.tsx';
import { editing } from '../../ui/row-menu.tsx';

type Purchase = OutputOf<ApiClient['studio']['purchases']['list']>['items'][number];
type NewPurchase = InputOf<ApiClient['studio']['purchases']['record']>;

const labels = strings.purchases;

const name = 'purchases';

/** Page with purchases, each of which gives the buyer access to a record. */
export default function PurchasesPage() {
  const { studio } = useApi();
  const { param } = useListAddress();
  const mayWrite = useMayWrite('audience');
  const [state, byState] = useStatus(labels.states);
  const [kind, byKind] = useOnly('kind', { label: labels.kind, all: labels.anyKind, choices: kindNames });
  return (
    <ListScreen
      {...{ words: labels, columns }}
      icon={IconCreditCard}
      list={useListPage(pagesOf(name, studio.purchases.list, { q: param('q'), content_type: kind, state }))}
      only={[byKind, byState]}
      mayAdd={mayWrite}
      menu={mayWrite && { nameOf: ({ buyer_email }) => buyer_email, actionsOf: (_, edit) => [editing(edit)] }}
      form={(row, onClose) =>
        row ? <CorrectionDialog {...{ row, onClose }} /> : <PurchaseDialog {...{ onClose }} />
      }
    />
  );
}

const kinds = keysOf(resources);
const kindNames = tableOf<Record<(typeof kinds)[number], string>>(
  kinds.map((kind) => [kind, capitalised(kind)]),
);

const tones = { paid: 'good', refunded: 'off', disputed: 'bad', revoked: 'off' } as const;

/** Price, and the title of the purchased record if it is among the newest ones, else the name of its resource. */
function Bought({ content_type, content_id, amount, currency }: Purchase) {
  const resource: Resource = resources[oneOf(kinds, content_type) ?? 'posts'];
  const bought = useChoices(resource).find(({ value }) => value === content_id);
  return `${formatAmount(amount, currency)} · ${bought?.label ?? capitalised(singularOf(resource))}`;
}

const columns: TableColumn<Purchase>[] = [
  nameColumn(labels.buyer, (purchase) => ({ first: purchase.buyer_email, second: <Bought {...purchase} /> })),
  timeColumn('created', strings.common.when),
  stateColumn(({ state, livemode }) => (
    <Dot
      tone={tones[state]}
      label={livemode ? labels.states[state] : strings.offers.tested(labels.states[state])}
    />
  )),
];

/** Dialog that corrects the email address of a purchase, withdraws its access or gives it again. */
function CorrectionDialog({ row, onClose }: { row: Purchase; onClose(): void }) {
  const { purchases } = useApi().studio;
  const { id, buyer_email } = row;
  const state = row.state === 'revoked' ? 'revoked' : 'paid';
  const form = useDialogForm<{ buyer_email: string; state: 'paid' | 'revoked' }, unknown>({
    initial: { buyer_email, state },
    contract: CorrectPurchase.omit({ id: true }),
    way: {
      change: {
        read: async () => ({ values: { buyer_email, state } }),
        write: (input) => purchases.update.mutate(CorrectPurchase.parse({ id, ...input })),
      },
    },
    refreshes: [name, 'enrollments'],
    onClose,
  });
  const { values, set } = form;
  return (
    <FormDialog title={labels.edit} action={strings.common.save} {...{ form, onClose }}>
      <TextInput type="email" label={strings.session.email} {...textOf(form, 'buyer_email')} data-autofocus />
      <Switch
        label={labels.opens}
        checked={values.state === 'paid'}
        onChange={({ currentTarget }) => set('state', currentTarget.checked ? 'paid' : 'revoked')}
      />
    </FormDialog>
  );
}

function PurchaseDialog({ onClose }: { onClose(): void }) {
  const { studio } = useApi();
  const { form, dialog } = useRecording<NewPurchase>({
    name,
    labels,
    initial: { buyer_email: '', content_type: 'posts', content_id: '', amount: 0, currency: 'EUR' },
    contract: purchase.create,
    send: (input, options) => studio.purchases.record.mutate(purchase.create.parse(input), options),
    onClose,
  });
  const { values, problems, set } = form;
  return dialog(
    <>
      <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="md">
        <Select
          label={labels.kind}
          data={choicesOf(kindNames)}
          value={values.content_type}
          onChange={(kind) => {
            if (!kind) return;
            set('content_type', kind);
            set('content_id', '');
          }}
        />
        <RecordSelect
          key={values.content_type}
          label={labels.what}
          resource={resources[values.content_type]}
          {...inputOf(form, 'content_id')}
        />
      </SimpleGrid>
      <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="md">
        <NumberInput
          label={labels.amount}
          min={0}
          decimalScale={2}
          value={values.amount}
          error={describeProblem(problems.amount)}
          onChange={(amount) => set('amount', Number(amount))}
        />
        <TextInput
          label={labels.currency}
          value={values.currency}
          error={describeProblem(problems.currency)}
          onChange={({ currentTarget }) => set('currency', currentTarget.value.toUpperCase())}
        />
      </SimpleGrid>
    </>,
  );
}
