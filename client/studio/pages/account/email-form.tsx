import { Button, Group, PasswordInput, Stack, Text, TextInput } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { isApiError } from '../../../sdk/index.ts';
import { useApi } from '../../data/api.tsx';
import { texts } from '../../texts/texts.ts';
import { toastError } from '../../ui/toast.tsx';

/** Asks for a link at a new address, which becomes that of the account once it is confirmed there. */
export function EmailForm() {
  const { studio } = useApi();
  const [isOpen, setOpen] = useState(false);
  const [email, setEmail] = useState('');
  const [current, setCurrent] = useState('');
  const change = useMutation({
    mutationFn: () => studio.account.changeEmail.mutate({ email, current }),
    onSuccess: () => setCurrent(''),
    onError: (error) => isWrong(error) || toastError(error),
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    change.mutate();
  };
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
    <form onSubmit={submit}>
      <Stack gap="md">
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
        <PasswordInput
          label={texts.account.current}
          name="password"
          autoComplete="current-password"
          required
          withAsterisk={false}
          error={isWrong(change.error) && texts.account.wrong}
          visibilityToggleButtonProps={{ 'aria-label': texts.session.showPassword }}
          value={current}
          onChange={({ currentTarget }) => setCurrent(currentTarget.value)}
          size="md"
        />
        <Group>
          <Button type="submit" loading={change.isPending}>
            {texts.account.mailLink}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

const isWrong = (error: unknown) => isApiError(error) && error.data.code === 'validation_failed';
