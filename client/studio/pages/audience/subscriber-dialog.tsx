import { Checkbox, TextInput } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { AddSubscriber } from '../../../../shared/contract/kinds/subscriber.ts';
import { useApi } from '../../data/api.tsx';
import { FormDialog } from '../../forms/form-dialog.tsx';
import { useForm } from '../../forms/use-form.ts';
import { texts } from '../../texts/texts.ts';
import { toast } from '../../ui/toast.tsx';

const words = texts.subscribers;

/** Adds somebody, who is asked by mail unless they have said already that they want it. */
export function SubscriberDialog({ onClose }: { onClose(): void }) {
  const { studio } = useApi();
  const queries = useQueryClient();
  // Sent again it is the same.
  const [openedAt] = useState(() => new Date());
  const form = useForm({
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
    onSent: (made, { email }) => {
      void queries.invalidateQueries({ queryKey: ['subscribers'] });
      onClose();
      toast(made?.status === 'pending' ? words.asked(email) : words.added(email));
    },
  });
  const { values, problems, set } = form;
  return (
    <FormDialog title={words.add} action={words.add} {...{ form, onClose }}>
      <TextInput
        type="email"
        label={texts.session.email}
        value={values.email}
        error={problems.email}
        onChange={({ currentTarget }) => set('email', currentTarget.value)}
        data-autofocus
      />
      <TextInput
        label={texts.keys.name}
        value={values.name}
        error={problems.name}
        onChange={({ currentTarget }) => set('name', currentTarget.value)}
      />
      <Checkbox
        size="sm"
        label={words.isConfirmed}
        description={words.isConfirmedHelp}
        checked={values.isConfirmed}
        onChange={({ currentTarget }) => set('isConfirmed', currentTarget.checked)}
      />
    </FormDialog>
  );
}
