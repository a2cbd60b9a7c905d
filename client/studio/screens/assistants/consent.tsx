import { Alert, Anchor, Button, Center, Group, Paper, Stack, Text, Title } from '@mantine/core';
import { useDocumentTitle, useTimeout, useWindowEvent } from '@mantine/hooks';
import { IconAlertTriangle, IconCheck, IconX } from '@tabler/icons-react';
import { useMutation, useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { useApi, useOwn, useSessions } from '../../data/api.tsx';
import { type AssistantRequest, siteQuery } from '../../data/queries.ts';
import { codeOf, messageFor } from '../../strings/errors.ts';
import { strings } from '../../strings/ui-strings.ts';
import { Note, Problem } from '../../ui/note.tsx';
import classes from './connect.module.css';
import { type Grant, GrantFields, withoutWithin } from './grant-fields.tsx';

/** The user's answer, and the address that receives it. */
export interface ConsentAnswer {
  name: string;
  isAllowed: boolean;
  redirect_to: string;
}

interface ConsentProps {
  request: AssistantRequest;
  onAnswered(answer: ConsentAnswer): void;
  /** Called if the request was already answered or has expired. */
  onOver(): void;
}

const labels = strings.connect;

/** Request of an assistant: its name, the requested scopes, and buttons to allow or deny it. */
export function Consent({ request, onAnswered, onOver }: ConsentProps) {
  const { assistants } = useApi().studio;
  const { id, client, scopes: offered } = request;
  const [{ scopes, ends_at }, setGrant] = useState<Grant>({
    scopes: withoutWithin(offered.filter(({ ticked }) => ticked).map(({ scope }) => scope)),
    ends_at: null,
  });
  const answering = useMutation({
    mutationFn: async (isAllowed: boolean) => {
      const { redirect_to } = await (isAllowed
        ? assistants.approve.mutate({
            id,
            scopes: [...scopes],
            ...(ends_at && { ends_at: ends_at.toISOString() }),
          })
        : assistants.deny.mutate({ id }));
      onAnswered({ name: client.name, isAllowed, redirect_to });
    },
    onError: (error) => codeOf(error) === 'not_found' && onOver(),
  });
  const answer = (isAllowed: boolean) => ({
    size: 'md',
    variant: 'default',
    flex: 1,
    loading: answering.isPending && answering.variables === isAllowed,
    disabled: answering.isPending,
    onClick: () => answering.mutate(isAllowed),
  });
  const canAllow = scopes.length > 0;
  const isSettled = useSettled();
  return (
    <Card title={labels.title}>
      <RequestingClient request={request} />
      <GrantFields value={{ scopes, ends_at }} offered={offered} onChange={setGrant} />
      <Problem>{answering.error && messageFor(answering.error)}</Problem>
      <Group gap="sm">
        <Button {...answer(false)} leftSection={<IconX size={17} aria-hidden />}>
          {labels.deny}
        </Button>
        <Button
          {...answer(true)}
          {...(!(canAllow && isSettled) && { disabled: true })}
          leftSection={<IconCheck size={17} aria-hidden />}
        >
          {labels.allow}
        </Button>
      </Group>
      <Note>{canAllow ? labels.later : labels.choose}</Note>
    </Card>
  );
}

/** Delay until the answer buttons work, in milliseconds; longer than the time between two clicks of a double click. */
const settleMs = 700;

/**
 * Returns true `settleMs` after the page was opened or last got the focus. Another page could open this one under the
 * pointer, so that a click meant for that page would allow the request.
 */
function useSettled(): boolean {
  const [isSettled, setSettled] = useState(false);
  const timer = useTimeout(() => setSettled(true), settleMs, { autoInvoke: true });
  useWindowEvent('focus', () => {
    setSettled(false);
    timer.clear();
    timer.start();
  });
  return isSettled;
}

/** Facts about the assistant, the address that gets the answer, the site and the user. */
function RequestingClient({ request: { client, redirect_host, loopback } }: { request: AssistantRequest }) {
  const { data: site } = useQuery(siteQuery(useApi()));
  const { makeRoom } = useSessions();
  const own = useOwn();
  return (
    <>
      <dl className={classes.facts}>
        <Fact label={labels.name}>
          {client.name}
          {client.host !== null && (
            <Note>
              <IconCheck size={15} aria-hidden className={classes.mark} /> {labels.vouched(client.host)}
            </Note>
          )}
        </Fact>
        <Fact label={labels.answer}>{loopback ? labels.answerHere(redirect_host) : redirect_host}</Fact>
        <Fact label={labels.site}>{site?.name}</Fact>
        {own && (
          <Fact label={labels.you}>
            {own.name} ({own.email}).{' '}
            <Anchor component="button" type="button" fz="inherit" underline="always" onClick={makeRoom}>
              {labels.somebodyElse}
            </Anchor>
          </Fact>
        )}
      </dl>
      <Alert
        color="yellow"
        icon={<IconAlertTriangle aria-hidden />}
        title={client.host === null && labels.unvouched}
      >
        {[client.host === null && labels.unvouchedLead, loopback && labels.answerHereLead, labels.careful]
          .filter(Boolean)
          .join(' ')}
      </Alert>
    </>
  );
}

const Fact = ({ label, children }: { label: string; children: ReactNode }) => (
  <div>
    <dt>{label}</dt>
    <dd>{children}</dd>
  </div>
);

/** Page without the studio's navigation. */
export function Card({ title, lead, children }: { title: string; lead?: string; children: ReactNode }) {
  useDocumentTitle(`${title} · ${strings.product}`);
  return (
    <Center component="main" mih="100dvh" p={{ base: 0, xs: 'md' }} className={classes.page}>
      <Paper w={560} maw="100%" p={{ base: 'lg', xs: 32 }} className={classes.card}>
        <Stack gap="lg">
          <div>
            <Title order={1} fz={22} lh={1.3} className={classes.words}>
              {title}
            </Title>
            {lead && (
              <Text c="dimmed" mt={4} role="status">
                {lead}
              </Text>
            )}
          </div>
          {children}
        </Stack>
      </Paper>
    </Center>
  );
}
