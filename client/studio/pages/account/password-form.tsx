import { Button, Group } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { useApi } from '../../data/api.tsx';
import { NewPasswordInput } from '../../forms/new-password-input.tsx';
import { texts } from '../../texts/texts.ts';
import { SubmitForm } from '../../ui/submit-form.tsx';
import { toast, toastError } from '../../ui/toast.tsx';
import { CurrentPasswordInput, isWrongPassword } from './current-password-input.tsx';

export function PasswordForm() {
  const { studio } = useApi();
  const [current, setCurrent] = useState('');
  const [password, setPassword] = useState('');
  const change = useMutation({
    mutationFn: () => studio.account.changePassword.mutate({ current, password }),
    onSuccess: () => {
      setCurrent('');
      setPassword('');
      toast(texts.account.changed);
    },
    onError: (error) => isWrongPassword(error) || toastError(error),
  });
  return (
    <SubmitForm onSubmit={() => change.mutate()}>
      <CurrentPasswordInput value={current} error={change.error} onChange={setCurrent} />
      <NewPasswordInput value={password} onChange={setPassword} />
      <Group>
        <Button type="submit" loading={change.isPending}>
          {texts.account.change}
        </Button>
      </Group>
    </SubmitForm>
  );
}
