import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import type { PasskeyResponse } from '../../../../shared/contract/features/passkeys.ts';
import { type FactorChallenge, isApiError, type SiteChoice } from '../../../sdk/index.ts';
import { doorFor } from '../../data/session.ts';

/**
 * What is asked for: the password, then a second factor of who has one, then a site of who has several. `hasEnded`: what came
 * after the password took too long, or too many tries.
 */
type Stage =
  | { is: 'password'; hasEnded: boolean }
  | { is: 'factor'; asked: FactorChallenge }
  | { is: 'site'; sites: readonly SiteChoice[]; challenge: string | undefined };

/** With a challenge its answer, else the password. */
interface SignInTry {
  challenge?: string | undefined;
  code?: string | undefined;
  response?: PasskeyResponse | undefined;
  site_id?: string | undefined;
}

/** Thrown with the words for whoever has signed in, where that was not all. */
export class NotBegun extends Error {}

interface SignInOptions {
  login: { email: string; password: string };
  /** Goes on with the session's token. */
  begin(token: string): Promise<void>;
  /** Which of several sites it is for; they are asked when that is open. */
  chooseSite?(sites: readonly SiteChoice[]): string | undefined;
}

/** Signs somebody in, in as many steps as it takes. */
export function useSignIn({ login, begin, chooseSite }: SignInOptions) {
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

async function tokenFor(login: SignInOptions['login'], { challenge, ...answer }: SignInTry): Promise<string> {
  // Not the session's client: here a refusal means that what was given is wrong.
  const { session } = doorFor().admin;
  const { token } = await (challenge === undefined
    ? session.create.mutate({ ...login, site_id: answer.site_id })
    : session.factor.mutate({ challenge, ...answer }));
  return token;
}

/** The sites of who has to choose one; undefined where that is not what an error says. */
export const sitesIn = (error: unknown) => (isApiError(error) ? error.data.sites : undefined);

function stageAfter(stage: Stage, error: unknown, { challenge }: SignInTry): Stage {
  if (!isApiError(error)) return stage;
  const { code, sites, challenge: next, factors, options } = error.data;
  if (sites) return { is: 'site', sites, challenge };
  if (next && factors)
    return { is: 'factor', asked: { challenge: next, factors, ...(options && { options }) } };
  return code === 'unauthorized' ? { is: 'password', hasEnded: stage.is !== 'password' } : stage;
}
