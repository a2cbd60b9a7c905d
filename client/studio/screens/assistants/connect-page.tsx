import { Anchor, Button, Skeleton } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { isApiError } from '../../../sdk/index.ts';
import { useApi, useSessions } from '../../data/api.tsx';
import { queryOf } from '../../data/queries.ts';
import { sessionOf } from '../../data/session.ts';
import { texts } from '../../strings/texts.ts';
import { Failed } from '../../ui/pending.tsx';
import { Card, Consent, type ConsentAnswer } from './consent.tsx';

const words = texts.connect;

/** Where somebody lets an assistant in, or doesn't. */
export default function ConnectPage({ id }: { id: string }) {
  const { studio } = useApi();
  const [answer, setAnswer] = useState<ConsentAnswer | null>(null);
  const asked = useQuery({
    ...queryOf(['assistants', 'request', id], studio.assistants.request, { id }),
    // Nothing moves under the hand of who reads it.
    staleTime: 'static',
  });
  if (answer) return <Answered {...answer} />;
  const refusal = isApiError(asked.error) ? asked.error.data : null;
  if (refusal?.code === 'not_found' || refusal?.code === 'validation_failed') return <Over />;
  if (refusal?.sites?.[0]) return <EnterSite id={refusal.sites[0].id} />;
  if (asked.data) return <Consent asked={asked.data} onAnswered={setAnswer} onOver={asked.refetch} />;
  return (
    <Card title={texts.assistants.title}>
      {asked.error ? (
        <Failed error={asked.error} onRetry={asked.refetch} />
      ) : (
        <Skeleton h={320} radius="md" />
      )}
    </Card>
  );
}

const Over = () => (
  <Card title={words.over} lead={words.overLead}>
    <Button component="a" href="/studio" variant="default">
      {words.toStudio}
    </Button>
  </Card>
);

/** Leads back by itself. A program's own address may open beside this page, which stays then. */
function Answered({ name, isAllowed, redirect_to }: ConsentAnswer) {
  // In place of this page: who goes back comes to where they began, and not to a question that is answered.
  useEffect(() => window.location.replace(redirect_to), [redirect_to]);
  return (
    <Card title={isAllowed ? words.allowed(name) : words.denied(name)} lead={words.goOn}>
      <Anchor href={redirect_to}>{words.goBack}</Anchor>
    </Card>
  );
}

/** What is asked is about another site of who is signed in; they go there, and come back here. */
function EnterSite({ id }: { id: string }) {
  const { studio } = useApi();
  const sessions = useSessions();
  const entering = useMutation({
    mutationFn: async () => sessions.begin(await sessionOf((await studio.sites.enter.mutate({ id })).token)),
  });
  useEffect(() => entering.mutate(), [id]);
  return (
    <Card title={texts.assistants.title} lead={words.elsewhere}>
      {entering.error && <Failed error={entering.error} onRetry={() => entering.mutate()} />}
    </Card>
  );
}
