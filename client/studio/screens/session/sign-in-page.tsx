import { Anchor, Button, getDefaultZIndex, Modal, Stack, Text, TextInput } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { useSession, useSessions } from '../../data/api.tsx';
import { doorFor, type Session, sessionOf } from '../../data/session.ts';
import { messageFor } from '../../strings/errors.ts';
import { strings } from '../../strings/ui-strings.ts';
import { Note, Problem } from '../../ui/note.tsx';
import { SubmitForm } from '../../ui/submit-form.tsx';
import { SessionCard } from './session-card.tsx';
import { NotBegun, SignInForm } from './sign-in-form.tsx';

interface SignInPageProps {
  title?: string;
  lead?: string;
}

export function SignInPage({ title = strings.session.title, lead = strings.session.lead }: SignInPageProps) {
  const sessions = useSessions();
  const begin = async (token: string) => sessions.begin(await sessionOf(token));
  const [isForgotten, setForgotten] = useState(false);
  const { forgotten, reset } = strings.session;
  return (
    <SessionCard
      {...(isForgotten ? reset : { title, lead })}
      instead={{ label: isForgotten ? reset.back : forgotten, go: () => setForgotten(!isForgotten) }}
    >
      {isForgotten ? <ResetForm /> : <SignInForm begin={begin} />}
    </SessionCard>
  );
}

function ResetForm() {
  const [email, setEmail] = useState('');
  const request = useMutation({
    mutationFn: () => doorFor().admin.passwordReset.request.mutate({ email }),
  });
  if (request.isSuccess) return <Text role="status">{strings.session.reset.sent(email)}</Text>;
  return (
    <SubmitForm onSubmit={() => request.mutate()}>
      <TextInput
        label={strings.session.email}
        type="email"
        name="email"
        autoComplete="username"
        required
        value={email}
        onChange={({ currentTarget }) => setEmail(currentTarget.value)}
        size="md"
        data-autofocus
      />
      <Problem>{request.error && messageFor(request.error)}</Problem>
      <Button type="submit" size="md" loading={request.isPending}>
        {strings.session.reset.send}
      </Button>
    </SubmitForm>
  );
}

/** Dialog that asks for the password after the session has ended. The screen behind it keeps its state. */
export function SignInAgain() {
  const sessions = useSessions();
  const state = useSession();
  return (
    <Modal
      opened={state.is === 'ended'}
      onClose={() => undefined}
      withCloseButton={false}
      closeOnEscape={false}
      closeOnClickOutside={false}
      // In front of the proof dialog, which needs a session to continue.
      zIndex={Number(getDefaultZIndex('modal')) + 4}
      title={strings.session.again}
    >
      <Stack>
        <Note>{strings.session.againLead}</Note>
        {state.is === 'ended' && <GoOn {...state.session} />}
        <Anchor component="button" fz="sm" ta="center" onClick={sessions.makeRoom}>
          {strings.session.otherOwner}
        </Anchor>
      </Stack>
    </Modal>
  );
}

/** Signs the same user in to the same site. */
function GoOn({ email, ownerId, siteId }: Session) {
  const sessions = useSessions();
  const begin = async (token: string) => {
    const session = await sessionOf(token);
    // A passkey may belong to another user.
    if (session.ownerId !== ownerId) throw new NotBegun(strings.factors.alone.somebodyElse);
    sessions.begin(session);
  };
  return <SignInForm {...{ email, begin }} chooseSite={() => siteId} />;
}
