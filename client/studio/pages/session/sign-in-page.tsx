import { useState } from 'react';
import { texts } from '../../texts/texts.ts';
import { ResetForm } from './reset-form.tsx';
import { SessionCard } from './session-card.tsx';
import { SignInForm } from './sign-in-form.tsx';

export function SignInPage() {
  const [isForgotten, setForgotten] = useState(false);
  const { title, lead, forgotten, reset } = texts.session;
  return (
    <SessionCard
      {...(isForgotten ? reset : { title, lead })}
      instead={{ label: isForgotten ? reset.back : forgotten, go: () => setForgotten(!isForgotten) }}
    >
      {isForgotten ? <ResetForm /> : <SignInForm />}
    </SessionCard>
  );
}
