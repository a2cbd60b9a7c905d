import { Button, Group, PasswordInput, Stack } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { isApiError } from '../../../sdk/index.ts';
import { useApi, useSession } from '../../data/api.tsx';
import { NewPasswordInput } from '../../forms/new-password-input.tsx';
import { texts } from '../../texts/texts.ts';
import { toast, toastError } from '../../ui/toast.tsx';

export function PasswordForm() {
  const { studio } = useApi();
  const session = useSession();
  const [current, setCurrent] = useState('');
  const [password, setPassword] = useState('');
  const change = useMutation({
    mutationFn: () => studio.account.changePassword.mutate({ current, password }),
    onSuccess: () => {
      setCurrent('');
      setPassword('');
      toast(texts.account.changed);
    },
    onError: (error) => isWrong(error) || toastError(error),
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    change.mutate();
  };
  return (
    <form onSubmit={submit}>
      <Stack gap="md">
        {/* Password managers ask whose it is. */}
        <input
          type="email"
          autoComplete="username"
          value={session.is === 'out' ? '' : session.session.email}
          readOnly
          hidden
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
        <NewPasswordInput value={password} onChange={setPassword} />
        <Group>
          <Button type="submit" loading={change.isPending}>
            {texts.account.change}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

/** The only thing that the form can't tell by itself. */
const isWrong = (error: unknown) => isApiError(error) && error.data.code === 'validation_failed';
