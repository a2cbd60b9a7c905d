import { Button, PasswordInput, TextInput } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useEffect, useEffectEvent, useState } from 'react';
import { challengeRules } from '../../../../shared/contract/features/factors.ts';
import type { PasskeyResponse } from '../../../../shared/contract/features/passkeys.ts';
import { askForPasskey, offersPasskeys, stopAsking } from '../../data/passkeys.ts';
import { doorFor } from '../../data/session.ts';
import { codeOf, wordsFor } from '../../strings/errors.ts';
import { texts } from '../../strings/texts.ts';
import { hasPasskeys } from '../../ui/browser.ts';
import { IconFingerprint } from '../../ui/icons.ts';
import { Problem } from '../../ui/notes.tsx';
import { SubmitForm } from '../../ui/submit-form.tsx';

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

interface PasskeyAnswer {
  challenge: string;
  response: PasskeyResponse;
}

/**
 * Signs somebody in by a passkey alone: one that the browser offers where it fills in the address, or when they ask.
 * `isTried`: what was given is being looked at.
 */
function usePasskeySignIn(isTried: boolean, onGiven: (answer: PasskeyAnswer) => void) {
  const asking = useMutation({ mutationFn: () => answered(), onSuccess: onGiven });
  const isWaiting = !isTried && !asking.isPending;
  const [offers, renew] = useState(0);
  const give = useEffectEvent(onGiven);
  useEffect(() => {
    if (!isWaiting) return;
    let isOver = false;
    // Before the challenge ends, which the next one takes the place of.
    const renewal = setTimeout(() => renew((offers) => offers + 1), (challengeRules.minutes - 1) * 60_000);
    void offered(() => isOver).then(
      (answer) => !isOver && answer && give(answer),
      // Nobody has asked for it.
      () => undefined,
    );
    return () => {
      isOver = true;
      clearTimeout(renewal);
    };
  }, [isWaiting, offers]);
  useEffect(() => stopAsking, []);
  return {
    ask: () => asking.mutate(),
    /** Forgets what came of asking. */
    reset: asking.reset,
    isAsking: asking.isPending,
    /** Why nothing came of asking the last time. */
    problem: asking.error && (codeOf(asking.error) ? wordsFor(asking.error) : texts.factors.alone.none),
  };
}

const offered = async (isOver: () => boolean) => ((await offersPasskeys()) ? answered({ isOver }) : null);

/** Asks at once, or offers it unless that is over by then. */
async function answered(offer?: { isOver(): boolean }): Promise<PasskeyAnswer> {
  // What nobody has asked for is not worth a second try.
  const { session } = doorFor(offer && { retries: 0 }).admin;
  const { challenge, options } = await session.passkey.mutate({});
  // What is asked for ends what was asked for before.
  if (offer?.isOver()) throw new Error('another way was taken');
  return { challenge, response: await askForPasskey(options, offer !== undefined) };
}
