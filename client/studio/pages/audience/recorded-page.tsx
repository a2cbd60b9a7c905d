import { TextInput } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import type { z } from 'zod';
import { useMayWrite } from '../../data/rights.ts';
import { FormDialog } from '../../forms/form-dialog.tsx';
import { textOf } from '../../forms/text-of.ts';
import { useDialogForm } from '../../forms/use-dialog-form.ts';
import { ListScreen } from '../../kinds/list/list-screen.tsx';
import type { OnlyProps } from '../../kinds/list/list-tools.tsx';
import type { ListPage } from '../../kinds/list/use-list-page.ts';
import { texts } from '../../texts/texts.ts';
import { AddButton } from '../../ui/add-button.tsx';
import type { TableColumn } from '../../ui/data-table.tsx';
import type { Icon } from '../../ui/icons.ts';

interface RecordedPageProps<Row> {
  words: { title: string; lead: string; none: string; noneLead: string; add: string; search: string };
  icon: Icon;
  list: ListPage<Row>;
  /** What it can be narrowed to, besides an address. */
  only: readonly OnlyProps[];
  columns: readonly TableColumn<Row>[];
  /** The form that adds one. */
  dialog(close: () => void): ReactNode;
}

/** What was done for somebody, by their e-mail address: a list, and a form that adds to it. */
export function RecordedPage<Row extends { id: string }>(props: RecordedPageProps<Row>) {
  const { dialog, ...list } = props;
  const [isAdding, setAdding] = useState(false);
  const mayAdd = useMayWrite('audience');
  const add = mayAdd && <AddButton label={list.words.add} onClick={() => setAdding(true)} />;
  return (
    <ListScreen {...list} add={add}>
      {isAdding && dialog(() => setAdding(false))}
    </ListScreen>
  );
}

interface RecordingOptions<Values> {
  /** The list that gets longer. */
  name: string;
  words: { add: string; added(email: string): string };
  initial: Values;
  contract: z.ZodType;
  send(input: Record<string, unknown>, options: { idempotencyKey: string }): Promise<unknown>;
  onClose(): void;
}

/** The form that adds one: whom it is for, and what `fields` ask besides. */
export function useRecording<Values extends { buyer_email: string }>(options: RecordingOptions<Values>) {
  const { name, words, initial, contract, send, onClose } = options;
  const form = useDialogForm<Values, unknown>({
    initial,
    contract,
    way: { make: { name, send } },
    refreshes: [name],
    onClose,
    done: (_, { buyer_email }) => words.added(buyer_email),
  });
  const { values, problems, set } = form;
  const dialog = (fields: ReactNode) => (
    <FormDialog title={words.add} action={words.add} {...{ form, onClose }}>
      <TextInput type="email" label={texts.session.email} {...textOf(form, 'buyer_email')} data-autofocus />
      {fields}
    </FormDialog>
  );
  return { values, problems, set, dialog };
}
