import { Stack, Text, Title } from '@mantine/core';
import type { ReactNode } from 'react';
import { useSession } from '../../data/api.tsx';
import { texts } from '../../texts/texts.ts';
import { Screen } from '../../ui/screen.tsx';
import { EmailForm } from './email-form.tsx';
import { PasswordForm } from './password-form.tsx';
import { SignedInSessions } from './signed-in-sessions.tsx';

/** What keeps an account its owner's: the password, and where they are signed in. */
export function AccountPage() {
  const session = useSession();
  return (
    <Screen title={texts.account.title} narrow>
      <Part title={texts.account.password} lead={texts.account.passwordLead}>
        <PasswordForm />
      </Part>
      <Part
        title={texts.account.email}
        lead={texts.account.emailLead(session.is === 'out' ? '' : session.session.email)}
      >
        <EmailForm />
      </Part>
      <Part title={texts.account.sessions} lead={texts.account.sessionsLead}>
        <SignedInSessions />
      </Part>
    </Screen>
  );
}

const Part = ({ title, lead, children }: { title: string; lead: string; children: ReactNode }) => (
  <Stack gap="sm" component="section">
    <div>
      <Title order={2} fz={15}>
        {title}
      </Title>
      <Text c="dimmed" fz="sm">
        {lead}
      </Text>
    </div>
    {children}
  </Stack>
);
