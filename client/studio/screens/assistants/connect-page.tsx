import { Anchor, Button, Skeleton } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { isApiError } from '../../../sdk/index.ts';
import { useApi, useSessions } from '../../data/api.tsx';
import { queryOf } from '../../data/queries.ts';
import { sessionOf } from '../../data/session.ts';
import { strings } from '../../strings/ui-strings.ts';
import { Failed } from '../../ui/pending.tsx';
import { Card, Consent, type ConsentAnswer } from './consent.tsx';

const labels = strings.connect;

/** Page on which a user allows or denies an assistant's request. */
export default function ConnectPage({ id }: { id: string }) {
  const { studio } = useApi();
  const [answer, setAnswer] = useState<ConsentAnswer | null>(null);
  const request = useQuery({
    ...queryOf(['assistants', 'request', id], studio.assistants.request, { id }),
    // Not refetched automatically, so that the page does not change while it is read.
    staleTime: 'static',
  });
  if (answer) return <Answered {...answer} />;
  const refusal = isApiError(request.error) ? request.error.data : null;
  if (refusal?.code === 'not_found' || refusal?.code === 'validation_failed') return <Over />;
  if (refusal?.sites?.[0]) return <EnterSite id={refusal.sites[0].id} />;
  if (request.data) return <Consent request={request.data} onAnswered={setAnswer} onOver={request.refetch} />;
  return (
    <Card title={strings.assistants.title}>
      {request.error ? (
        <Failed error={request.error} onRetry={request.refetch} />
      ) : (
        <Skeleton h={320} radius="md" />
      )}
    </Card>
  );
}

const Over = () => (
  <Card title={labels.over} lead={labels.overLead}>
    <Button component="a" href="/studio" variant="default">
      {labels.toStudio}
    </Button>
  </Card>
);

/** Outcome of the request; redirects to the assistant. If the address opens another program, this page stays visible. */
function Answered({ name, isAllowed, redirect_to }: ConsentAnswer) {
  // Replaces this page in the history, so that Back does not return to an answered request.
  useEffect(() => window.location.replace(redirect_to), [redirect_to]);
  return (
    <Card title={isAllowed ? labels.allowed(name) : labels.denied(name)} lead={labels.goOn}>
      <Anchor href={redirect_to}>{labels.goBack}</Anchor>
    </Card>
  );
}

/** The request is for another of the user's sites: opens that site and reloads this page there. */
function EnterSite({ id }: { id: string }) {
  const { studio } = useApi();
  const sessions = useSessions();
  const entering = useMutation({
    mutationFn: async () => sessions.begin(await sessionOf((await studio.sites.enter.mutate({ id })).token)),
  });
  useEffect(() => entering.mutate(), [id]);
  return (
    <Card title={strings.assistants.title} lead={labels.elsewhere}>
      {entering.error && <Failed error={entering.error} onRetry={() => entering.mutate()} />}
    </Card>
  );
}
