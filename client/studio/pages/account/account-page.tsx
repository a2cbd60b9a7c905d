import { Stack } from '@mantine/core';
import { useSession } from '../../data/api.tsx';
import { texts } from '../../texts/texts.ts';
import { Screen } from '../../ui/screen.tsx';
import { EmailForm } from './email-form.tsx';
import { Part } from './part.tsx';
import { PasswordForm } from './password-form.tsx';
import { SecondFactor } from './second-factor.tsx';
import { SignedInSessions } from './signed-in-sessions.tsx';

/** What keeps an account its owner's: the password, what is asked for besides, and where they are signed in. */
export default function AccountPage() {
  const session = useSession();
  return (
    <Screen title={texts.account.title} narrow>
      <Stack gap={40}>
        <Part title={texts.account.password} lead={texts.account.passwordLead}>
          <PasswordForm />
        </Part>
        <SecondFactor />
        <Part
          title={texts.account.email}
          lead={texts.account.emailLead(session.is === 'out' ? '' : session.session.email)}
        >
          <EmailForm />
        </Part>
        <Part title={texts.account.sessions} lead={texts.account.sessionsLead}>
          <SignedInSessions />
        </Part>
      </Stack>
    </Screen>
  );
}
