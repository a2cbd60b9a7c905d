import { Button, PasswordInput, TextInput } from '@mantine/core';
import { useState } from 'react';
import { texts } from '../../texts/texts.ts';
import { hasPasskeys } from '../../ui/browser.ts';
import { IconFingerprint } from '../../ui/icons.ts';
import { Problem } from '../../ui/notes.tsx';
import { SubmitForm } from '../../ui/submit-form.tsx';
import { type PasskeyAnswer, usePasskeySignIn } from './use-passkey-sign-in.ts';

interface Login {
  email: string;
  password: string;
}

interface PasswordStepProps {
  login: Login;
  /** Whether it is somebody else's form who signs in here. */
  isKnown: boolean;
  action: string;
  isPending: boolean;
  problem: string | null;
  onType(part: Partial<Login>): void;
  onPassword(): void;
  onPasskey(answer: PasskeyAnswer): void;
}

const words = texts.session;
const field = { required: true, size: 'md' } as const;

/** Asks for the password, or for a passkey that stands for it. */
export function PasswordStep({ login, isKnown, action, isPending, ...step }: PasswordStepProps) {
  const [way, setWay] = useState<'password' | 'passkey'>('password');
  const passkey = usePasskeySignIn(isPending && way === 'passkey', (answer) => {
    setWay('passkey');
    step.onPasskey(answer);
  });
  const problem = passkey.problem ?? step.problem;
  const submit = () => {
    setWay('password');
    passkey.reset();
    step.onPassword();
  };
  return (
    <SubmitForm onSubmit={submit}>
      <TextInput
        {...field}
        label={words.email}
        type="email"
        name="email"
        autoComplete="username webauthn"
        readOnly={isKnown}
        value={login.email}
        onChange={({ currentTarget }) => step.onType({ email: currentTarget.value })}
        data-autofocus={!isKnown || undefined}
      />
      <PasswordInput
        {...field}
        label={words.password}
        name="password"
        autoComplete="current-password"
        value={login.password}
        onChange={({ currentTarget }) => step.onType({ password: currentTarget.value })}
        data-autofocus={isKnown || undefined}
      />
      <Problem>{problem}</Problem>
      <Button type="submit" size="md" loading={isPending && way === 'password'}>
        {action}
      </Button>
      {hasPasskeys() && (
        <Button
          variant="subtle"
          color="gray"
          size="md"
          leftSection={<IconFingerprint size={18} />}
          loading={passkey.isAsking || (isPending && way === 'passkey')}
          onClick={passkey.ask}
        >
          {texts.factors.alone.signIn}
        </Button>
      )}
    </SubmitForm>
  );
}
