import { Button, Stack, Text } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import type { PasskeyResponse } from '../../../../shared/contract/features/passkeys.ts';
import { type FactorChallenge, isApiError, type SiteChoice } from '../../../sdk/index.ts';
import { doorFor } from '../../data/session.ts';
import { codeOf, messageFor } from '../../strings/errors.ts';
import { strings } from '../../strings/ui-strings.ts';
import { later } from '../../ui/load-on-use.tsx';
import { Note, Problem } from '../../ui/note.tsx';
import { type Login, PasswordStep } from './password-step.tsx';

const FactorStep = later(() => import('./factor-step.tsx'));

interface SignInFormProps extends Omit<SignInOptions, 'login'> {
  /** Email address, if the user is known. */
  email?: string;
  /** Label of the button. */
  action?: string;
}

/** Form that signs a user in, in up to three steps. */
export function SignInForm({ email, action = strings.session.signIn, ...options }: SignInFormProps) {
  const [login, setLogin] = useState({ email: email ?? '', password: '' });
  const { stage, signIn } = useSignIn({ login, ...options });
  const { error, isPending, variables: tried, mutate } = signIn;
  const refusalMessage = () => {
    if (stage.is === 'password' && stage.hasEnded) return strings.factors.step.ended;
    return tried?.response ? strings.factors.alone.unknown : strings.session.wrong;
  };
  const messageOf = (error: Error) => {
    if (error instanceof NotBegun) return error.message;
    return codeOf(error) === 'unauthorized' ? refusalMessage() : messageFor(error);
  };
  if (stage.is === 'site') {
    const { sites, challenge } = stage;
    // `site_required` is expected here; do not show it as an error.
    const problem = error && !sitesIn(error) ? messageOf(error) : null;
    return (
      <ChooseSite {...{ sites, isPending, problem }} onChoose={(site_id) => mutate({ challenge, site_id })} />
    );
  }
  if (stage.is === 'factor') {
    const { challenge, factors, options } = stage.challenge;
    return (
      <Stack gap="md">
        <Note role="status">{strings.factors.step.lead}</Note>
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
      problem={error && messageOf(error)}
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

const ChooseSite = ({ sites, isPending, problem, onChoose }: ChooseSiteProps) => (
  <Stack gap="sm" role="group" aria-label={strings.session.chooseSite}>
    <Note role="status">{strings.session.chooseSite}</Note>
    <Problem>{problem}</Problem>
    {sites.map(({ id, name, role }, index) => (
      <Button
        key={id}
        variant="default"
        size="md"
        justify="space-between"
        disabled={isPending}
        data-autofocus={index === 0 || undefined}
        rightSection={
          <Text span fz="xs" c="dimmed">
            {strings.people.roles[role]}
          </Text>
        }
        onClick={() => onChoose(id)}
      >
        {name}
      </Button>
    ))}
  </Stack>
);

/**
 * Steps of signing in: the password, then a second factor if the user has one, then a site if they have several. `hasEnded`:
 * the later steps took too long or too many attempts.
 */
type Stage =
  | { is: 'password'; hasEnded: boolean }
  | { is: 'factor'; challenge: FactorChallenge }
  | { is: 'site'; sites: readonly SiteChoice[]; challenge: string | undefined };

/** One attempt: the answer to a challenge, or else the password. */
interface SignInTry {
  challenge?: string | undefined;
  code?: string | undefined;
  response?: PasskeyResponse | undefined;
  site_id?: string | undefined;
}

/** Thrown if sign-in succeeded but the session cannot begin; the message is shown to the user. */
export class NotBegun extends Error {}

interface SignInOptions {
  login: Login;
  /** Continues with the session's token. Throws `NotBegun` with a reason if that is not possible. */
  begin(token: string): Promise<void>;
  /** Chooses one of several sites; without it, the user is asked. */
  chooseSite?(sites: readonly SiteChoice[]): string | undefined;
}

function useSignIn({ login, begin, chooseSite }: SignInOptions) {
  const [stage, setStage] = useState<Stage>({ is: 'password', hasEnded: false });
  const signIn = useMutation({
    mutationFn: async (attempt: SignInTry) => {
      try {
        return await begin(await tokenFor(login, attempt));
      } catch (error) {
        const sites = sitesIn(error);
        const site_id = sites && chooseSite?.(sites);
        if (!site_id) throw error;
        await begin(await tokenFor(login, { challenge: attempt.challenge, site_id }));
      }
    },
    onError: (error, attempt) => setStage((stage) => stageAfter(stage, error, attempt)),
  });
  return { stage, signIn };
}

async function tokenFor(login: Login, { challenge, ...answer }: SignInTry): Promise<string> {
  // A separate client: in the session's client, a 401 would open the sign-in dialog.
  const { session } = doorFor().admin;
  const { token } = await (challenge === undefined
    ? session.create.mutate({ ...login, site_id: answer.site_id })
    : session.factor.mutate({ challenge, ...answer }));
  return token;
}

/** Returns the sites in a `site_required` error; undefined for other errors. */
const sitesIn = (error: unknown) => (isApiError(error) ? error.data.sites : undefined);

function stageAfter(stage: Stage, error: unknown, { challenge }: SignInTry): Stage {
  if (!isApiError(error)) return stage;
  const { code, sites, challenge: next, factors, options } = error.data;
  if (sites) return { is: 'site', sites, challenge };
  if (next && factors)
    return { is: 'factor', challenge: { challenge: next, factors, ...(options && { options }) } };
  return code === 'unauthorized' ? { is: 'password', hasEnded: stage.is !== 'password' } : stage;
}
