import { Button, PasswordInput, TextInput } from '@mantine/core';
import { IconFingerprint } from '@tabler/icons-react';
import { useMutation } from '@tanstack/react-query';
import { useEffect, useEffectEvent, useState } from 'react';
import { challengeRules } from '../../../../shared/contract/features/factors.ts';
import type { PasskeyResponse } from '../../../../shared/contract/features/passkeys.ts';
import { offersPasskeys, requestPasskey, stopRequests } from '../../data/passkeys.ts';
import { doorFor } from '../../data/session.ts';
import { codeOf, messageFor } from '../../strings/errors.ts';
import { strings } from '../../strings/ui-strings.ts';
import { hasPasskeys } from '../../ui/browser.ts';
import { Problem } from '../../ui/note.tsx';
import { SubmitForm } from '../../ui/submit-form.tsx';

export interface Login {
  email: string;
  password: string;
}

interface PasswordStepProps {
  login: Login;
  /** True if the email address is fixed, because a known user signs in again. */
  isKnown: boolean;
  action: string;
  isPending: boolean;
  problem: string | null;
  onType(part: Partial<Login>): void;
  onPassword(): void;
  onPasskey(answer: PasskeyAnswer): void;
}

const labels = strings.session;
const field = { required: true, size: 'md' } as const;

/** Sign-in step for the password, or a passkey instead of it. */
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
        label={labels.email}
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
        label={labels.password}
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
          loading={passkey.isRequesting || (isPending && way === 'passkey')}
          onClick={passkey.request}
        >
          {strings.factors.alone.signIn}
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
 * Returns sign-in by passkey: the browser suggests one in the address input, or the user requests it. `isTried` is true
 * while an answer is checked.
 */
function usePasskeySignIn(isTried: boolean, onGiven: (answer: PasskeyAnswer) => void) {
  const passkeyRequest = useMutation({ mutationFn: () => answered(), onSuccess: onGiven });
  const isWaiting = !isTried && !passkeyRequest.isPending;
  const [offers, renew] = useState(0);
  const give = useEffectEvent(onGiven);
  useEffect(() => {
    if (!isWaiting) return;
    let isOver = false;
    // A suggestion uses a challenge that expires. Renew it one minute earlier.
    const renewal = setTimeout(() => renew((offers) => offers + 1), (challengeRules.minutes - 1) * 60_000);
    void offered(() => isOver).then(
      (answer) => !isOver && answer && give(answer),
      // A failed suggestion is not reported, because the user did not request it.
      () => undefined,
    );
    return () => {
      isOver = true;
      clearTimeout(renewal);
    };
  }, [isWaiting, offers]);
  useEffect(() => stopRequests, []);
  return {
    request: () => passkeyRequest.mutate(),
    reset: passkeyRequest.reset,
    isRequesting: passkeyRequest.isPending,
    /** Message of the last failed request. */
    problem:
      passkeyRequest.error &&
      (codeOf(passkeyRequest.error) ? messageFor(passkeyRequest.error) : strings.factors.alone.none),
  };
}

const offered = async (isOver: () => boolean) => ((await offersPasskeys()) ? answered({ isOver }) : null);

/** Requests a passkey. With `offer`, it only suggests one, unless `isOver` returns true when the challenge arrives. */
async function answered(offer?: { isOver(): boolean }): Promise<PasskeyAnswer> {
  // The challenge for a suggestion is not requested again after a failure, because the user did not ask for it.
  const { session } = doorFor(offer && { retries: 0 }).admin;
  const { challenge, options } = await session.passkey.mutate({});
  // A suggestion now would abort a passkey request that the user has made since.
  if (offer?.isOver()) throw new Error('the user chose another way to sign in');
  return { challenge, response: await requestPasskey(options, offer !== undefined) };
}
