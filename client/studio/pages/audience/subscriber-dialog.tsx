import { Checkbox, TextInput } from '@mantine/core';
import { useState } from 'react';
import { AddSubscriber } from '../../../../shared/contract/kinds/subscriber.ts';
import { useApi } from '../../data/api.tsx';
import { FormDialog } from '../../forms/form-dialog.tsx';
import { textOf } from '../../forms/text-of.ts';
import { useDialogForm } from '../../forms/use-dialog-form.ts';
import { texts } from '../../texts/texts.ts';

const words = texts.subscribers;

/** Adds somebody, who is asked by mail unless they have said already that they want it. */
export function SubscriberDialog({ onClose }: { onClose(): void }) {
  const { studio } = useApi();
  // Sent again it is the same.
  const [openedAt] = useState(() => new Date());
  const form = useDialogForm({
    initial: { email: '', name: '', isConfirmed: false },
    contract: AddSubscriber,
    toInput: ({ isConfirmed, ...values }) => ({ ...values, ...(isConfirmed && { confirmed_at: openedAt }) }),
    way: {
      make: {
        name: 'subscribers',
        send: (input: object, options: { idempotencyKey: string }) =>
          studio.subscribers.create.mutate(AddSubscriber.parse(input), options),
      },
    },
    refreshes: ['subscribers'],
    onClose,
    done: (made, { email }) => (made?.status === 'pending' ? words.asked(email) : words.added(email)),
  });
  const { values, set } = form;
  return (
    <FormDialog title={words.add} action={words.add} {...{ form, onClose }}>
      <TextInput type="email" label={texts.session.email} {...textOf(form, 'email')} data-autofocus />
      <TextInput label={texts.keys.name.label} {...textOf(form, 'name')} />
      <Checkbox
        size="sm"
        {...words.isConfirmed}
        checked={values.isConfirmed}
        onChange={({ currentTarget }) => set('isConfirmed', currentTarget.checked)}
      />
    </FormDialog>
  );
}
