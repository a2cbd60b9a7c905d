import { Button, Stack, Text } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { createClient, isApiError } from '../../../sdk/index.ts';
import { NewPasswordInput } from '../../forms/new-password-input.tsx';
import { wordsFor } from '../../texts/errors.ts';
import { texts } from '../../texts/texts.ts';
import { Problem } from '../../ui/notes.tsx';
import { SubmitForm } from '../../ui/submit-form.tsx';
import { SessionCard } from './session-card.tsx';

/** Where the link leads that was mailed to who forgot the password. */
export const newPasswordPath = '/studio/new-password';

export function NewPasswordPage() {
  const [password, setPassword] = useState('');
  const { newPassword } = texts.session;
  const confirm = useMutation({
    mutationFn: () => {
      const { origin, hash } = window.location;
      const visitor = createClient({ baseUrl: origin });
      return visitor.admin.passwordReset.confirm.mutate({ token: hash.slice(1), password });
    },
  });
  return (
    <SessionCard title={newPassword.title} lead={newPassword.lead}>
      {confirm.isSuccess ? (
        <Stack>
          <Text role="status">{newPassword.done}</Text>
          <Button component="a" href="/studio" size="md">
            {texts.session.signIn}
          </Button>
        </Stack>
      ) : (
        <SubmitForm onSubmit={() => confirm.mutate()}>
          <NewPasswordInput value={password} onChange={setPassword} />
          <Problem>{confirm.error && refusal(confirm.error)}</Problem>
          <Button type="submit" size="md" loading={confirm.isPending}>
            {newPassword.save}
          </Button>
        </SubmitForm>
      )}
    </SessionCard>
  );
}

const refusal = (error: unknown) =>
  isApiError(error) && error.data.code === 'unauthorized' ? texts.session.newPassword.spent : wordsFor(error);
