import { Anchor, Modal, Stack, Text } from '@mantine/core';
import { useSession, useSessions } from '../../data/api.tsx';
import { texts } from '../../texts/texts.ts';
import { SignInForm } from './sign-in-form.tsx';

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
      title={texts.session.again}
    >
      <Stack>
        <Text c="dimmed" fz="sm">
          {texts.session.againLead}
        </Text>
        {state.is === 'ended' && <SignInForm known={state.session} />}
        <Anchor component="button" fz="sm" ta="center" onClick={sessions.makeRoom}>
          {texts.session.otherOwner}
        </Anchor>
      </Stack>
    </Modal>
  );
}
