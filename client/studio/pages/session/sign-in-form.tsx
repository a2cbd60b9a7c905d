import { Alert, Button, PasswordInput, Stack, TextInput } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { createClient, isApiError, type SiteChoice } from '../../../sdk/index.ts';
import { useSessions } from '../../data/api.tsx';
import { sessionOf } from '../../data/session.ts';
import { wordsFor } from '../../texts/errors.ts';
import { texts } from '../../texts/texts.ts';
import { ChooseSite } from './choose-site.tsx';

interface SignInFormProps {
  /** Whose session goes on, and where. */
  known?: { email: string; siteId: string };
}

/** Asks for the owner's password, and begins their session; who works on several sites then chooses one. */
export function SignInForm({ known }: SignInFormProps) {
  const sessions = useSessions();
  const [email, setEmail] = useState(known?.email ?? '');
  const [password, setPassword] = useState('');
  const [choices, setChoices] = useState<readonly SiteChoice[]>([]);
  const signIn = useMutation({
    mutationFn: async (site_id: string | undefined) => {
      // Not the session's client: here a refusal means that the password is wrong.
      const visitor = createClient({ baseUrl: window.location.origin });
      const { token } = await visitor.admin.session.create.mutate({ email, password, site_id });
      return sessionOf(token);
    },
    onSuccess: sessions.begin,
    onError: (error) => setChoices(isApiError(error) ? (error.data.sites ?? []) : []),
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    signIn.mutate(known?.siteId);
  };
  if (choices.length > 0)
    return <ChooseSite sites={choices} isPending={signIn.isPending} onChoose={signIn.mutate} />;
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

const refusal = (error: unknown) =>
  isApiError(error) && error.data.code === 'unauthorized' ? texts.session.wrong : wordsFor(error);
