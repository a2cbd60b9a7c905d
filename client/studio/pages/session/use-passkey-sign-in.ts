import { useMutation } from '@tanstack/react-query';
import { useEffect, useEffectEvent, useState } from 'react';
import { challengeRules } from '../../../../shared/contract/features/factors.ts';
import type { PasskeyResponse } from '../../../../shared/contract/features/passkeys.ts';
import { askForPasskey, offersPasskeys, stopAsking } from '../../data/passkeys.ts';
import { doorFor } from '../../data/session.ts';
import { codeOf, wordsFor } from '../../texts/errors.ts';
import { texts } from '../../texts/texts.ts';

export interface PasskeyAnswer {
  challenge: string;
  response: PasskeyResponse;
}

/**
 * Signs somebody in by a passkey alone: one that the browser offers where it fills in the address, or when they ask.
 * `isTried`: what was given is being looked at.
 */
export function usePasskeySignIn(isTried: boolean, onGiven: (answer: PasskeyAnswer) => void) {
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
