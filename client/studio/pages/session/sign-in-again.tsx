import { Anchor, getDefaultZIndex, Modal, Stack } from '@mantine/core';
import { useSession, useSessions } from '../../data/api.tsx';
import { type Session, sessionOf } from '../../data/session.ts';
import { texts } from '../../texts/texts.ts';
import { Note } from '../../ui/notes.tsx';
import { SignInForm } from './sign-in-form.tsx';
import { NotBegun } from './use-sign-in.ts';

/** In front of the screen when the session has ended; behind it everything waits as it was. */
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
      // A proof that is asked for goes on once the session does.
      zIndex={Number(getDefaultZIndex('modal')) + 4}
      title={texts.session.again}
    >
      <Stack>
        <Note>{texts.session.againLead}</Note>
        {state.is === 'ended' && <GoOn {...state.session} />}
        <Anchor component="button" fz="sm" ta="center" onClick={sessions.makeRoom}>
          {texts.session.otherOwner}
        </Anchor>
      </Stack>
    </Modal>
  );
}

/** Signs the same person in to the same site. */
function GoOn({ email, ownerId, siteId }: Session) {
  const sessions = useSessions();
  const begin = async (token: string) => {
    const session = await sessionOf(token);
    // A passkey says whose it is by itself.
    if (session.ownerId !== ownerId) throw new NotBegun(texts.factors.alone.somebodyElse);
    sessions.begin(session);
  };
  return <SignInForm {...{ email, begin }} chooseSite={() => siteId} />;
}
