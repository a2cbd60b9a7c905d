import { Button, Group, Text, TextInput } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { useApi } from '../../data/api.tsx';
import { texts } from '../../texts/texts.ts';
import { SubmitForm } from '../../ui/submit-form.tsx';
import { toastError } from '../../ui/toast.tsx';
import { CurrentPasswordInput, isWrongPassword } from './current-password-input.tsx';

/** Asks for a link at a new address, which becomes that of the account once it is confirmed there. */
export function EmailForm() {
  const { studio } = useApi();
  const [isOpen, setOpen] = useState(false);
  const [email, setEmail] = useState('');
  const [current, setCurrent] = useState('');
  const change = useMutation({
    mutationFn: () => studio.account.changeEmail.mutate({ email, current }),
    onSuccess: () => setCurrent(''),
    onError: (error) => isWrongPassword(error) || toastError(error),
  });
  if (change.isSuccess) return <Text role="status">{texts.account.emailSent(email)}</Text>;
  if (!isOpen)
    return (
      <Group>
        <Button variant="default" onClick={() => setOpen(true)}>
          {texts.account.changeEmail}
        </Button>
      </Group>
    );
  return (
    <SubmitForm onSubmit={() => change.mutate()}>
      <TextInput
        label={texts.account.newEmail}
        type="email"
        name="email"
        autoComplete="email"
        required
        withAsterisk={false}
        value={email}
        onChange={({ currentTarget }) => setEmail(currentTarget.value)}
        size="md"
      />
      <CurrentPasswordInput value={current} error={change.error} onChange={setCurrent} />
      <Group>
        <Button type="submit" loading={change.isPending}>
          {texts.account.mailLink}
        </Button>
      </Group>
    </SubmitForm>
  );
}
