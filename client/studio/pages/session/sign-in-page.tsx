import { useState } from 'react';
import { useSessions } from '../../data/api.tsx';
import { sessionOf } from '../../data/session.ts';
import { texts } from '../../texts/texts.ts';
import { ResetForm } from './reset-form.tsx';
import { SessionCard } from './session-card.tsx';
import { SignInForm } from './sign-in-form.tsx';

export function SignInPage() {
  const sessions = useSessions();
  const begin = async (token: string) => sessions.begin(await sessionOf(token));
  const [isForgotten, setForgotten] = useState(false);
  const { title, lead, forgotten, reset } = texts.session;
  return (
    <SessionCard
      {...(isForgotten ? reset : { title, lead })}
      instead={{ label: isForgotten ? reset.back : forgotten, go: () => setForgotten(!isForgotten) }}
    >
      {isForgotten ? <ResetForm /> : <SignInForm begin={begin} />}
    </SessionCard>
  );
}
