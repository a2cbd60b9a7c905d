import { Checkbox, Group, NumberInput, Select, SimpleGrid, Switch, TextInput } from '@mantine/core';
import { IconTag } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { formatAmount } from '../../../../shared/contract/currencies.ts';
import {
  CreateOffer,
  membershipTiers,
  offerLimits,
  UpdateOffer,
} from '../../../../shared/contract/features/offers.ts';
import { resources } from '../../../../shared/contract/resources/index.ts';
import type { ApiClient, OutputOf } from '../../../sdk/index.ts';
import { useApi } from '../../data/api.tsx';
import { siteQuery } from '../../data/queries.ts';
import { found } from '../../data/records.ts';
import type { FieldProblems } from '../../forms/field-problems.ts';
import { wayOf } from '../../forms/form-values.ts';
import { FormDialog } from '../../forms/form-view.tsx';
import { choicesOf, inputOf, textOf, tickOf, ticksOf } from '../../forms/input-props.ts';
import { useDialogForm } from '../../forms/use-form.ts';
import { ListScreen } from '../../records/list/list-screen.tsx';
import { pagesOf, useListPage } from '../../records/list/use-list-page.ts';
import { RecordSelect, useChoices } from '../../records/recording-form.tsx';
import { describeProblem } from '../../strings/failures.ts';
import { currencyChoices } from '../../strings/locales.ts';
import { strings } from '../../strings/ui-strings.ts';
import { nameColumn, stateColumn, type TableColumn } from '../../ui/data-table.tsx';
import { Dot } from '../../ui/dot.tsx';
import { editing } from '../../ui/row-menu.tsx';

type OfferRow = OutputOf<ApiClient['studio']['offers']['list']>['items'][number];

const labels = strings.offers;

/** Prices of records and memberships. */
export default function OffersPage() {
  const { studio } = useApi();
  return (
    <ListScreen
      {...{ words: labels, columns }}
      icon={IconTag}
      list={useListPage(pagesOf('offers', studio.offers.list, {}))}
      menu={{ nameOf: ({ title }) => title, actionsOf: (_, edit) => [editing(edit)] }}
      form={(edited, onClose) => <OfferDialog {...{ edited, onClose }} />}
    />
  );
}

/** Title of the sold record where it is among the newest, else the kind of the offer. */
function Sold({ collection, record_id, interval }: OfferRow) {
  const choices = useChoices(resources[collection ?? 'posts']);
  const sold = choices.find(({ value }) => value === record_id);
  return sold?.label ?? (collection ? labels.kinds[collection] : labels.intervals[interval]);
}

const priceOf = ({ amount, currency, interval }: OfferRow) =>
  formatAmount(amount, currency) + labels.each[interval];

const columns: TableColumn<OfferRow>[] = [
  nameColumn(labels.name.label, (offer) => ({
    first: offer.title,
    second: (
      <>
        {priceOf(offer)} · <Sold {...offer} />
      </>
    ),
  })),
  stateColumn(({ active }) => (
    <Dot tone={active ? 'good' : 'off'} label={active ? labels.states.on : labels.states.off} />
  )),
];

type Values = ReturnType<typeof valuesOf>;

const valuesOf = (offer: OfferRow) => ({
  title: offer.title,
  interval: offer.interval,
  collection: offer.collection ?? ('posts' as const),
  record_id: offer.record_id ?? '',
  tiers: offer.tiers,
  amount: offer.amount,
  currency: offer.currency,
  trial_days: offer.trial_days,
  active: offer.active,
  sort_order: offer.sort_order,
});

/** An offer is either of a record or of a membership: the fields of the other are not sent. */
function toInput({ collection, record_id, tiers, trial_days, ...values }: Partial<Values>): object {
  const isOnce = values.interval === 'once';
  return {
    ...values,
    ...(isOnce ? { collection, record_id } : tiers !== undefined && { tiers }),
    ...(!isOnce && trial_days !== undefined && { trial_days }),
  };
}

/** Dialog that changes an offer, or creates one if `edited` is null. */
function OfferDialog({ edited, onClose }: { edited: OfferRow | null; onClose(): void }) {
  const api = useApi();
  const { offers } = api.studio;
  const { data: site } = useQuery(siteQuery(api));
  const form = useDialogForm<Values, { id: string }>({
    initial: edited
      ? valuesOf(edited)
      : {
          ...{ title: '', interval: 'once', collection: 'posts', record_id: '', tiers: [...membershipTiers] },
          ...{ amount: 0, currency: site?.currency ?? '', trial_days: null, active: true, sort_order: 0 },
        },
    contract: edited ? UpdateOffer.omit({ id: true }) : CreateOffer,
    toInput: edited ? (values) => values : toInput,
    way: wayOf(edited, {
      name: 'offers',
      valuesOf,
      read: async (id) => found((await offers.list.query({ per_page: offerLimits.perSite })).items, id),
      create: (input, options) => offers.create.mutate(CreateOffer.parse(input), options),
      update: (input, options) => offers.update.mutate(UpdateOffer.parse(input), options),
    }),
    refreshes: ['offers'],
    onClose,
    done: (made, { title }) => (made ? labels.added(title) : strings.common.changesSaved),
  });
  const { values, problems, set } = form;
  return (
    <FormDialog
      title={edited ? labels.edit : labels.add}
      action={edited ? strings.common.save : labels.add}
      {...{ form, onClose }}
    >
      {!edited && (
        <Select
          label={labels.interval}
          data={choicesOf(labels.intervals)}
          value={values.interval}
          onChange={(interval) => interval && set('interval', interval)}
        />
      )}
      {!edited && values.interval === 'once' && <RecordFields {...{ values, problems, set }} />}
      <TextInput {...labels.name} {...textOf(form, 'title')} />
      <PriceFields {...{ values, problems, set }} isNew={edited === null} />
      {values.interval !== 'once' && <MembershipFields {...{ values, problems, set }} />}
      <NumberInput
        {...labels.sortOrder}
        allowDecimal={false}
        value={values.sort_order}
        error={describeProblem(problems.sort_order)}
        onChange={(position) => set('sort_order', Number(position))}
      />
      <Switch label={labels.active} {...tickOf(form, 'active')} />
    </FormDialog>
  );
}

interface FieldsProps {
  values: Values;
  problems: FieldProblems;
  set<Name extends keyof Values & string>(name: Name, value: Values[Name]): void;
}

/** Inputs for the record that an offer sells. */
const RecordFields = (form: FieldsProps) => (
  <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="md">
    <Select
      label={labels.kind}
      data={choicesOf(labels.kinds)}
      value={form.values.collection}
      onChange={(collection) => {
        if (!collection) return;
        form.set('collection', collection);
        form.set('record_id', '');
      }}
    />
    <RecordSelect
      key={form.values.collection}
      label={labels.record}
      resource={resources[form.values.collection]}
      {...inputOf(form, 'record_id')}
    />
  </SimpleGrid>
);

/** Inputs for an offer's price; the currency of an existing offer cannot be changed. */
const PriceFields = ({ values, problems, set, isNew }: FieldsProps & { isNew: boolean }) => (
  <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="md">
    <NumberInput
      label={labels.amount}
      min={0}
      decimalScale={2}
      allowedDecimalSeparators={['.', ',']}
      value={values.amount || ''}
      error={describeProblem(problems.amount)}
      onChange={(amount) => set('amount', Number(amount))}
    />
    <Select
      label={labels.currency}
      data={currencyChoices()}
      value={values.currency || null}
      disabled={!isNew}
      searchable
      nothingFoundMessage={strings.lists.noMatch}
      error={describeProblem(problems.currency)}
      onChange={(currency) => set('currency', currency ?? '')}
    />
  </SimpleGrid>
);

/** Inputs for the tiers and the trial of a membership offer. */
const MembershipFields = (form: FieldsProps) => (
  <>
    <Checkbox.Group {...labels.tiers} {...ticksOf(form, 'tiers', membershipTiers)}>
      <Group gap="lg" mb={6}>
        {membershipTiers.map((tier) => (
          <Checkbox key={tier} size="sm" value={tier} label={labels.tierNames[tier]} />
        ))}
      </Group>
    </Checkbox.Group>
    <NumberInput
      {...labels.trial}
      allowDecimal={false}
      min={1}
      max={offerLimits.trialDays}
      value={form.values.trial_days ?? ''}
      error={describeProblem(form.problems.trial_days)}
      onChange={(days) => form.set('trial_days', days === '' ? null : Number(days))}
    />
  </>
);
