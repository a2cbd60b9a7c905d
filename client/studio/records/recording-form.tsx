import { Select, TextInput } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import type { z } from 'zod';
import { cutText } from '../../../shared/contract/cut-text.ts';
import type { Resource } from '../../../shared/contract/resource.ts';
import { useApi } from '../data/api.tsx';
import { queryOf } from '../data/queries.ts';
import { namingFields, shapeOf, titleOf } from '../data/record-shape.ts';
import { recordsOf } from '../data/records.ts';
import { FormDialog } from '../forms/form-view.tsx';
import { type FieldChoice, textOf } from '../forms/input-props.ts';
import { useDialogForm } from '../forms/use-form.ts';
import { strings } from '../strings/ui-strings.ts';

interface RecordingOptions<Values> {
  /** Name of the list that gets the new row. */
  name: string;
  labels: { add: string; added(email: string): string };
  initial: Values;
  contract: z.ZodType;
  send(input: Record<string, unknown>, options: { idempotencyKey: string }): Promise<unknown>;
  onClose(): void;
}

/**
 * Returns the state of a form that adds a purchase or enrollment, and its `dialog`: an input for the buyer's address,
 * and further `fields`.
 */
export function useRecording<Values extends { buyer_email: string }>(options: RecordingOptions<Values>) {
  const { name, labels, initial, contract, send, onClose } = options;
  const form = useDialogForm<Values, unknown>({
    initial,
    contract,
    way: { make: { name, send } },
    refreshes: [name],
    onClose,
    done: (_, { buyer_email }) => labels.added(buyer_email),
  });
  const dialog = (fields: ReactNode) => (
    <FormDialog title={labels.add} action={labels.add} {...{ form, onClose }}>
      <TextInput type="email" label={strings.session.email} {...textOf(form, 'buyer_email')} data-autofocus />
      {fields}
    </FormDialog>
  );
  return { form, dialog };
}

interface RecordSelectProps {
  label: string;
  resource: Resource;
  value: string;
  error: ReactNode;
  onChange(id: string): void;
}

/** Maximum number of records to choose from: the newest that match. */
const max = 200;
/** Maximum length of a search query; a longer title is found by its beginning. */
const maxQueryLength = 100;
const pauseMs = 150;

/** Input for a record of a collection, found by words in its title. */
export function RecordSelect({ label, resource, value, error, onChange }: RecordSelectProps) {
  const [query, setQuery] = useState('');
  const [chosen, setChosen] = useState<FieldChoice | null>(null);
  const isChosen = chosen?.value === value && chosen.label === query;
  const [q] = useDebouncedValue(isChosen ? '' : cutText(query.trim(), maxQueryLength), pauseMs);
  const choices = useChoices(resource, q);
  // The chosen record stays in the list, even if it does not match the query.
  const others = choices.filter((choice) => choice.value !== value);
  const own = choices.find((choice) => choice.value === value) ?? (chosen?.value === value ? chosen : null);
  return (
    <Select
      label={label}
      searchable
      allowDeselect
      data={own ? [own, ...others] : others}
      value={value || null}
      error={error}
      searchValue={query}
      onSearchChange={setQuery}
      nothingFoundMessage={strings.lists.noMatch}
      onChange={(id, choice) => {
        setChosen(choice);
        onChange(id ?? '');
      }}
    />
  );
}

/**
 * Returns the newest 200 records of a collection as choices, filtered by the search query `q`. Empty until they have
 * loaded.
 */
export function useChoices(resource: Resource, q = ''): FieldChoice[] {
  const api = useApi();
  const shape = shapeOf(resource);
  const input = { fields: namingFields(shape), per_page: max, ...(q && { q }) };
  const { data } = useQuery({
    ...queryOf(['records', resource.collection, 'choices', q], recordsOf(api, resource).list, input),
    placeholderData: keepPreviousData,
  });
  return (data?.items ?? []).map((record) => ({
    value: record.id,
    label: titleOf(shape, record) || strings.records.untitled,
  }));
}
