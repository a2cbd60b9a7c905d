import { useState } from 'react';
import { useSessions } from '../../data/api.tsx';
import { sessionOf } from '../../data/session.ts';
import { texts } from '../../texts/texts.ts';
import { ResetForm } from './reset-form.tsx';
import { SessionCard } from './session-card.tsx';
import { SignInForm } from './sign-in-form.tsx';

interface SignInPageProps {
  title?: string;
  lead?: string;
}

export function SignInPage({ title = texts.session.title, lead = texts.session.lead }: SignInPageProps) {
  const sessions = useSessions();
  const begin = async (token: string) => sessions.begin(await sessionOf(token));
  const [isForgotten, setForgotten] = useState(false);
  const { forgotten, reset } = texts.session;
  return (
    <SessionCard
      {...(isForgotten ? reset : { title, lead })}
      instead={{ label: isForgotten ? reset.back : forgotten, go: () => setForgotten(!isForgotten) }}
    >
      {isForgotten ? <ResetForm /> : <SignInForm begin={begin} />}
    </SessionCard>
  );
}
