import { Button, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import type { SiteChoice } from '../../../sdk/index.ts';
import { codeOf, wordsFor } from '../../texts/errors.ts';
import { texts } from '../../texts/texts.ts';
import { later } from '../../ui/later.tsx';
import { Note, Problem } from '../../ui/notes.tsx';
import { PasswordStep } from './password-step.tsx';
import { NotBegun, sitesIn, useSignIn } from './use-sign-in.ts';

const FactorStep = later(() => import('./factor-step.tsx'));

interface SignInFormProps {
  /** Whose password it is, where that is known. */
  email?: string;
  /** What the button says. */
  action?: string;
  /** Goes on with the session's token. Throws `NotBegun` with the reason where that can't be. */
  begin(token: string): Promise<void>;
  /** Which of several sites it is for; they are asked when left out. */
  chooseSite?(sites: readonly SiteChoice[]): string | undefined;
}

/** Asks for the password and what else it takes, and begins a session. */
export function SignInForm({ email, action = texts.session.signIn, ...options }: SignInFormProps) {
  const [login, setLogin] = useState({ email: email ?? '', password: '' });
  const { stage, signIn } = useSignIn({ login, ...options });
  const { error, isPending, variables: tried, mutate } = signIn;
  const wordsOfRefusal = () => {
    if (stage.is === 'password' && stage.hasEnded) return texts.factors.step.ended;
    return tried?.response ? texts.factors.alone.unknown : texts.session.wrong;
  };
  const wordsOf = (error: Error) => {
    if (error instanceof NotBegun) return error.message;
    return codeOf(error) === 'unauthorized' ? wordsOfRefusal() : wordsFor(error);
  };
  if (stage.is === 'site') {
    const { sites, challenge } = stage;
    // What led here is none.
    const problem = error && !sitesIn(error) ? wordsOf(error) : null;
    return (
      <ChooseSite {...{ sites, isPending, problem }} onChoose={(site_id) => mutate({ challenge, site_id })} />
    );
  }
  if (stage.is === 'factor') {
    const { challenge, factors, options } = stage.asked;
    return (
      <Stack gap="md">
        <Note role="status">{texts.factors.step.lead}</Note>
        <FactorStep
          {...{ factors, options, isPending }}
          error={tried?.challenge === undefined ? null : error}
          onGiven={(given) => mutate({ challenge, ...given })}
        />
      </Stack>
    );
  }
  return (
    <PasswordStep
      {...{ login, action, isPending }}
      isKnown={email !== undefined}
      problem={error && wordsOf(error)}
      onType={(part) => setLogin((current) => ({ ...current, ...part }))}
      onPassword={() => mutate({})}
      onPasskey={mutate}
    />
  );
}

interface ChooseSiteProps {
  sites: readonly SiteChoice[];
  isPending: boolean;
  problem: string | null;
  onChoose(id: string): void;
}

/** On which of their sites somebody wants to work. */
const ChooseSite = ({ sites, isPending, problem, onChoose }: ChooseSiteProps) => (
  <Stack gap="sm" role="group" aria-label={texts.session.chooseSite}>
    <Note role="status">{texts.session.chooseSite}</Note>
    <Problem>{problem}</Problem>
    {sites.map(({ id, name, role }, place) => (
      <Button
        key={id}
        variant="default"
        size="md"
        justify="space-between"
        disabled={isPending}
        data-autofocus={place === 0 || undefined}
        rightSection={
          <Text span fz="xs" c="dimmed">
            {texts.people.roles[role]}
          </Text>
        }
        onClick={() => onChoose(id)}
      >
        {name}
      </Button>
    ))}
  </Stack>
);
