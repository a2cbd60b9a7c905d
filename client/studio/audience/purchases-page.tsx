import { Button, Group, NumberInput, Select, TextInput } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { RecordPurchase } from '../../../shared/contract/audience.ts';
import { keysOf } from '../../../shared/contract/names-of.ts';
import type { Resource } from '../../../shared/contract/resource.ts';
import { resources } from '../../../shared/contract/resources/index.ts';
import type { ApiClient, InputOf, OutputOf } from '../../sdk/index.ts';
import { useApi } from '../data/api.tsx';
import { useForm } from '../fields/use-form.ts';
import { briefly } from '../texts/moments.ts';
import { capitalised } from '../texts/names.ts';
import { texts } from '../texts/texts.ts';
import { type Column, TwoLines } from '../ui/data-table.tsx';
import { FormDialog } from '../ui/form-dialog.tsx';
import { IconCreditCard, IconPlus } from '../ui/icons.ts';
import { Screen } from '../ui/screen.tsx';
import { say } from '../ui/toast.tsx';
import { PagedList } from './paged-list.tsx';
import { RecordSelect } from './record-select.tsx';

type Purchase = OutputOf<ApiClient['studio']['purchases']['list']>['items'][number];
type NewPurchase = InputOf<ApiClient['studio']['purchases']['record']>;

/** What was bought; each purchase opens its record to the buyer. */
export function PurchasesPage() {
  const { studio } = useApi();
  const [isAdding, setAdding] = useState(false);
  const add = (
    <Button leftSection={<IconPlus size={16} />} onClick={() => setAdding(true)}>
      {texts.purchases.add}
    </Button>
  );
  return (
    <Screen title={texts.purchases.title} lead={texts.purchases.lead} actions={add}>
      <PagedList
        name="purchases"
        label={texts.purchases.title}
        list={studio.purchases.list}
        columns={columns}
        empty={{
          icon: IconCreditCard,
          title: texts.purchases.none,
          lead: texts.purchases.noneLead,
          action: add,
        }}
      />
      {isAdding && <PurchaseDialog onClose={() => setAdding(false)} />}
    </Screen>
  );
}

const kinds = keysOf(resources);

const inCurrency = ({ amount, currency }: Purchase) =>
  new Intl.NumberFormat(undefined, { style: 'currency', currency }).format(amount);

const columns: Column<Purchase>[] = [
  {
    label: texts.purchases.buyer,
    cell: ({ buyer_email, content_type }) => (
      <TwoLines first={buyer_email} second={capitalised(content_type)} />
    ),
  },
  { label: texts.purchases.amount, cell: inCurrency },
  { label: texts.webhooks.when, align: 'end', isDetail: true, cell: ({ created }) => briefly(created) },
];

function PurchaseDialog({ onClose }: { onClose(): void }) {
  const { studio } = useApi();
  const queries = useQueryClient();
  const form = useForm<NewPurchase, unknown>({
    initial: { buyer_email: '', content_type: 'posts', content_id: '', amount: 0, currency: 'EUR' },
    contract: RecordPurchase,
    send: (values) => studio.purchases.record.mutate(values),
    onSent: (_, { buyer_email }) => {
      void queries.invalidateQueries({ queryKey: ['purchases'] });
      onClose();
      say(texts.purchases.added(buyer_email));
    },
  });
  const { values, problems, set } = form;
  const resource: Resource = resources[values.content_type];
  return (
    <FormDialog
      isOpen
      title={texts.purchases.add}
      action={texts.purchases.add}
      isSending={form.isSending}
      failure={form.failure}
      onSubmit={form.submit}
      onClose={onClose}
    >
      <TextInput
        type="email"
        label={texts.session.email}
        value={values.buyer_email}
        error={problems.buyer_email}
        onChange={({ currentTarget }) => set('buyer_email', currentTarget.value)}
        data-autofocus
      />
      <Group grow align="flex-start">
        <Select
          label={texts.purchases.kind}
          data={kinds.map((value) => ({ value, label: capitalised(value) }))}
          value={values.content_type}
          allowDeselect={false}
          onChange={(chosen) => {
            const kind = kinds.find((name) => name === chosen);
            if (!kind) return;
            set('content_type', kind);
            set('content_id', '');
          }}
        />
        <RecordSelect
          label={texts.purchases.what}
          resource={resource}
          value={values.content_id}
          error={problems.content_id}
          onChange={(id) => set('content_id', id)}
        />
      </Group>
      <Group grow align="flex-start">
        <NumberInput
          label={texts.purchases.amount}
          min={0}
          decimalScale={2}
          value={values.amount}
          error={problems.amount}
          onChange={(amount) => set('amount', Number(amount))}
        />
        <TextInput
          label={texts.purchases.currency}
          value={values.currency}
          error={problems.currency}
          onChange={({ currentTarget }) => set('currency', currentTarget.value.toUpperCase())}
        />
      </Group>
    </FormDialog>
  );
}
