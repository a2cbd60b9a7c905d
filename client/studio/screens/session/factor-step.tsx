import { Anchor, Button, Stack, TextInput } from '@mantine/core';
import { IconFingerprint } from '@tabler/icons-react';
import { useMutation } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import type { FactorName } from '../../../../shared/contract/features/factors.ts';
import type {
  PasskeyRequestOptions,
  PasskeyResponse,
} from '../../../../shared/contract/features/passkeys.ts';
import { isApiError } from '../../../sdk/index.ts';
import { requestPasskey, stopRequests } from '../../data/passkeys.ts';
import { messageFor } from '../../strings/errors.ts';
import { strings } from '../../strings/ui-strings.ts';
import { hasPasskeys } from '../../ui/browser.ts';
import { Note, Problem } from '../../ui/note.tsx';
import { SubmitForm } from '../../ui/submit-form.tsx';
import classes from './factor-step.module.css';

export type GivenFactor = { code: string } | { response: PasskeyResponse };

interface FactorStepProps {
  /** Factors that the user has. */
  factors: readonly FactorName[];
  options: PasskeyRequestOptions | null | undefined;
  isPending: boolean;
  /** Error of the last attempt. */
  error: Error | null;
  onGiven(given: GivenFactor): void;
}

const labels = strings.factors.step;

/** Fastest factor first. */
const inOrder: readonly FactorName[] = ['passkey', 'totp', 'recovery'];

/** Sign-in step for a second factor: the fastest one unless the user chooses another. */
export default function FactorStep({ factors, options, isPending, error, onGiven }: FactorStepProps) {
  const usable = inOrder.filter((name) => factors.includes(name) && (name !== 'passkey' || canAsk(options)));
  const [chosen, choose] = useState<FactorName | null>(null);
  const [tried, setTried] = useState<FactorName | null>(null);
  const by = chosen ?? usable[0] ?? 'totp';
  const give = (given: GivenFactor) => {
    setTried(by);
    onGiven(given);
  };
  const shared = { isPending, problem: error && tried === by ? messageOf(error, by) : null };
  return (
    <Stack gap="md">
      {by === 'passkey' && options ? (
        <PasskeyWay {...shared} options={options} onGiven={(response) => give({ response })} />
      ) : (
        <CodeWay key={by} {...shared} isRecovery={by === 'recovery'} onGiven={(code) => give({ code })} />
      )}
      {usable.length > 1 && (
        <Stack gap={6} align="center">
          {usable
            .filter((name) => name !== by)
            .map((name) => (
              <Anchor key={name} component="button" type="button" fz="sm" onClick={() => choose(name)}>
                {labels.others[name]}
              </Anchor>
            ))}
        </Stack>
      )}
    </Stack>
  );
}

const canAsk = (options: FactorStepProps['options']) => Boolean(options) && hasPasskeys();

interface WayProps<Answer> {
  isPending: boolean;
  problem: string | null;
  onGiven(given: Answer): void;
}

/** Requests a passkey when shown, and again on click, because some browsers require a click. */
function PasskeyWay({
  options,
  isPending,
  problem,
  onGiven,
}: WayProps<PasskeyResponse> & { options: PasskeyRequestOptions }) {
  const passkeyRequest = useMutation({ mutationFn: () => requestPasskey(options), onSuccess: onGiven });
  const button = useRef<HTMLButtonElement>(null);
  useEffect(() => {
    button.current?.focus();
    passkeyRequest.mutate();
    return stopRequests;
  }, []);
  return (
    <>
      <Problem>{problem ?? (passkeyRequest.error && labels.passkeyAgain)}</Problem>
      <Note role="status">{labels.passkey}</Note>
      <Button
        size="md"
        leftSection={<IconFingerprint size={18} />}
        loading={isPending}
        onClick={() => passkeyRequest.mutate()}
        ref={button}
      >
        {labels.usePasskey}
      </Button>
    </>
  );
}

const digits = /^\d{6}$/;

function CodeWay({ isRecovery, isPending, problem, onGiven }: WayProps<string> & { isRecovery: boolean }) {
  const [code, setCode] = useState('');
  const input = useRef<HTMLInputElement>(null);
  // Select the wrong code, so that typing replaces it.
  useEffect(() => {
    if (isPending) return;
    input.current?.focus();
    input.current?.select();
  }, [isPending]);
  const type = (typed: string) => {
    setCode(typed);
    if (!isRecovery && !isPending && digits.test(typed)) onGiven(typed);
  };
  return (
    <SubmitForm onSubmit={() => onGiven(code.trim())}>
      <TextInput
        size="md"
        required
        label={isRecovery ? labels.recovery : labels.code}
        description={isRecovery && labels.recoveryHelp}
        {...(isRecovery ? { autoComplete: 'off' } : { autoComplete: 'one-time-code', inputMode: 'numeric' })}
        autoCapitalize="none"
        spellCheck={false}
        maxLength={40}
        classNames={{ input: classes.code }}
        value={code}
        error={problem}
        onChange={({ currentTarget }) => type(currentTarget.value)}
        ref={input}
      />
      <Button type="submit" size="md" loading={isPending}>
        {labels.confirm}
      </Button>
    </SubmitForm>
  );
}

/** Returns the message for a failed attempt: a wrong factor, unless the error has another cause. */
function messageOf(error: Error, by: FactorName): string {
  const isWrong =
    isApiError(error) && ['second_factor_required', 'validation_failed'].includes(error.data.code);
  return isWrong ? labels.wrong[by] : messageFor(error);
}
