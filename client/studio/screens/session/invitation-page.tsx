import { Button, Stack, TextInput } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { useSessions } from '../../data/api.tsx';
import { doorFor, sessionOf } from '../../data/session.ts';
import { NewPasswordInput } from '../../forms/new-password-input.tsx';
import { codeOf, messageFor } from '../../strings/errors.ts';
import { strings } from '../../strings/ui-strings.ts';
import { Problem } from '../../ui/note.tsx';
import { SubmitForm } from '../../ui/submit-form.tsx';
import { SessionCard } from './session-card.tsx';
import { NotBegun, SignInForm } from './sign-in-form.tsx';

/** Path in the links of invitation emails. */
export const invitationPath = '/studio/invitation';

const { invitation } = strings.session;

/** Page that accepts an invitation, with a new or an existing account. */
export function InvitationPage() {
  const sessions = useSessions();
  const [hasAccount, setHasAccount] = useState(false);
  const [given, setGiven] = useState({ name: '', password: '' });
  const token = window.location.hash.slice(1);
  const enter = async (ownerToken: string) => {
    sessions.begin(await sessionOf(ownerToken));
    window.location.replace('/studio');
  };
  const accept = useMutation({
    mutationFn: async () =>
      enter((await doorFor().admin.invitations.accept.mutate({ token, ...given })).token),
    onError: (error) => {
      if (codeOf(error) === 'account_exists') setHasAccount(true);
    },
  });
  const acceptSignedIn = async (ownerToken: string) => {
    const accepted = await acceptWithAccount(token, ownerToken).catch((error: unknown) => {
      throw new NotBegun(codeOf(error) === 'unauthorized' ? invitation.wrong : messageFor(error));
    });
    await enter(accepted);
  };
  const problem =
    accept.error && (codeOf(accept.error) === 'unauthorized' ? invitation.spent : messageFor(accept.error));
  return (
    <SessionCard
      title={invitation.title}
      lead={hasAccount ? invitation.withAccount : invitation.lead}
      instead={{
        label: hasAccount ? invitation.noAccount : invitation.hasAccount,
        go: () => setHasAccount(!hasAccount),
      }}
    >
      {hasAccount ? (
        <Stack gap="md">
          <Problem>{problem}</Problem>
          <SignInForm action={invitation.accept} begin={acceptSignedIn} chooseSite={([first]) => first?.id} />
        </Stack>
      ) : (
        <SubmitForm onSubmit={() => accept.mutate()}>
          <TextInput
            required
            size="md"
            label={invitation.name}
            autoComplete="name"
            value={given.name}
            onChange={({ currentTarget }) => setGiven({ ...given, name: currentTarget.value })}
          />
          <NewPasswordInput
            value={given.password}
            onChange={(password) => setGiven({ ...given, password })}
          />
          <Problem>{problem}</Problem>
          <Button type="submit" size="md" loading={accept.isPending}>
            {invitation.accept}
          </Button>
        </SubmitForm>
      )}
    </SessionCard>
  );
}

/**
 * Accepts an invitation with an existing account. A temporary session proves that the account is the user's, and ends
 * afterwards.
 */
async function acceptWithAccount(token: string, ownerToken: string): Promise<string> {
  const { invitations, session } = doorFor({ ownerToken }).admin;
  try {
    return (await invitations.accept.mutate({ token })).token;
  } finally {
    await session.delete.mutate().catch(() => undefined);
  }
}
