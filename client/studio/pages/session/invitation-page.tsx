import { Alert, Button, PasswordInput, Stack, TextInput } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { createClient, isApiError } from '../../../sdk/index.ts';
import { useSessions } from '../../data/api.tsx';
import { sessionOf } from '../../data/session.ts';
import { NewPasswordInput } from '../../forms/new-password-input.tsx';
import { wordsFor } from '../../texts/errors.ts';
import { texts } from '../../texts/texts.ts';
import { acceptAsNewcomer, acceptWithAccount } from './accept-invitation.ts';
import { SessionCard } from './session-card.tsx';

/** Where the link leads by which somebody comes to work on a site. */
export const invitationPath = '/studio/invitation';

const { invitation } = texts.session;

/** Makes an account, or takes the one that there is. */
export function InvitationPage() {
  const sessions = useSessions();
  const [hasAccount, setHasAccount] = useState(false);
  const [given, setGiven] = useState({ name: '', email: '', password: '' });
  const give = (part: Partial<typeof given>) => setGiven({ ...given, ...part });
  const accept = useMutation({
    mutationFn: async () => {
      const link = { token: window.location.hash.slice(1), service: serviceOf };
      return sessionOf(await (hasAccount ? acceptWithAccount : acceptAsNewcomer)(link, given));
    },
    onSuccess: (session) => {
      sessions.begin(session);
      window.location.replace('/studio');
    },
    onError: (error) => {
      if (codeOf(error) === 'account_exists') setHasAccount(true);
    },
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    accept.mutate();
  };
  return (
    <SessionCard
      title={invitation.title}
      lead={hasAccount ? invitation.withAccount : invitation.lead}
      instead={{
        label: hasAccount ? invitation.noAccount : invitation.hasAccount,
        go: () => setHasAccount(!hasAccount),
      }}
    >
      <form onSubmit={submit}>
        <Stack gap="md">
          <WhoItIs {...{ hasAccount, given, give }} />
          {accept.error && (
            <Alert color="red" variant="light" role="alert">
              {words(accept.error, hasAccount)}
            </Alert>
          )}
          <Button type="submit" size="md" loading={accept.isPending}>
            {invitation.accept}
          </Button>
        </Stack>
      </form>
    </SessionCard>
  );
}

interface Given {
  name: string;
  email: string;
  password: string;
}

interface WhoItIsProps {
  hasAccount: boolean;
  given: Given;
  give(part: Partial<Given>): void;
}

const field = { required: true, withAsterisk: false, size: 'md' } as const;

function WhoItIs({ hasAccount, given, give }: WhoItIsProps) {
  const { name, email, password } = given;
  if (!hasAccount)
    return (
      <>
        <TextInput
          {...field}
          label={invitation.name}
          autoComplete="name"
          value={name}
          onChange={({ currentTarget }) => give({ name: currentTarget.value })}
        />
        <NewPasswordInput value={password} onChange={(next) => give({ password: next })} />
      </>
    );
  return (
    <>
      <TextInput
        {...field}
        label={texts.session.email}
        type="email"
        autoComplete="username"
        value={email}
        onChange={({ currentTarget }) => give({ email: currentTarget.value })}
      />
      <PasswordInput
        {...field}
        label={texts.session.password}
        autoComplete="current-password"
        visibilityToggleButtonProps={{ 'aria-label': texts.session.showPassword }}
        value={password}
        onChange={({ currentTarget }) => give({ password: currentTarget.value })}
      />
    </>
  );
}

const serviceOf = (ownerToken?: string) =>
  createClient({ baseUrl: window.location.origin, ...(ownerToken !== undefined && { ownerToken }) });

const codeOf = (error: unknown) => (isApiError(error) ? error.data.code : undefined);

const words = (error: unknown, hasAccount: boolean) => {
  if (codeOf(error) !== 'unauthorized') return wordsFor(error);
  return hasAccount ? invitation.wrong : invitation.spent;
};
