import { Alert, Button, PasswordInput, Stack, TextInput } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { createClient, isApiError } from '../../../sdk/index.ts';
import { useSessions } from '../../data/api.tsx';
import { wordsFor } from '../../texts/errors.ts';
import { texts } from '../../texts/texts.ts';

/** Asks for the owner's password, and begins their session. `email` is fixed when a session goes on. */
export function SignInForm({ email: known }: { email?: string | undefined }) {
  const sessions = useSessions();
  const [email, setEmail] = useState(known ?? '');
  const [password, setPassword] = useState('');
  const signIn = useMutation({
    mutationFn: async () => {
      // Not the session's client: here a refusal means that the password is wrong.
      const visitor = createClient({ baseUrl: window.location.origin });
      const { token } = await visitor.admin.session.create.mutate({ email, password });
      const { owner, site } = await ownClient(token).admin.session.get.query();
      return { token, email: owner.email, name: owner.name, ownerId: owner.id, siteId: site.id };
    },
    onSuccess: sessions.begin,
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    signIn.mutate();
  };
  return (
    <form onSubmit={submit}>
      <Stack gap="md">
        <TextInput
          label={texts.session.email}
          type="email"
          name="email"
          autoComplete="username"
          required
          withAsterisk={false}
          readOnly={known !== undefined}
          value={email}
          onChange={({ currentTarget }) => setEmail(currentTarget.value)}
          size="md"
          data-autofocus={known === undefined || undefined}
        />
        <PasswordInput
          label={texts.session.password}
          name="password"
          autoComplete="current-password"
          required
          withAsterisk={false}
          visibilityToggleButtonProps={{ 'aria-label': texts.session.showPassword }}
          value={password}
          onChange={({ currentTarget }) => setPassword(currentTarget.value)}
          size="md"
          data-autofocus={known !== undefined || undefined}
        />
        {signIn.error && (
          <Alert color="red" variant="light" role="alert">
            {refusal(signIn.error)}
          </Alert>
        )}
        <Button type="submit" size="md" loading={signIn.isPending}>
          {texts.session.signIn}
        </Button>
      </Stack>
    </form>
  );
}

const ownClient = (ownerToken: string) => createClient({ baseUrl: window.location.origin, ownerToken });

const refusal = (error: unknown) =>
  isApiError(error) && error.data.code === 'unauthorized' ? texts.session.wrong : wordsFor(error);
