import { Alert, Anchor } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { useApi, useOwn, useSessions } from '../../data/api.tsx';
import { type AskingAssistant, siteQuery } from '../../data/queries.ts';
import { texts } from '../../texts/texts.ts';
import { IconAlertTriangle, IconCheck } from '../../ui/icons.ts';
import { Note } from '../../ui/notes.tsx';
import classes from './connect.module.css';

const words = texts.connect;

/** What is known of whoever asks, and to whom and for which site they would get an answer. */
export function WhoAsks({ asked: { client, redirect_host, loopback } }: { asked: AskingAssistant }) {
  const { data: site } = useQuery(siteQuery(useApi()));
  const { makeRoom } = useSessions();
  const own = useOwn();
  return (
    <>
      <dl className={classes.facts}>
        <Fact label={words.name}>
          {client.name}
          {client.host !== null && (
            <Note>
              <IconCheck size={15} aria-hidden className={classes.mark} /> {words.vouched(client.host)}
            </Note>
          )}
        </Fact>
        <Fact label={words.answer}>{loopback ? words.answerHere(redirect_host) : redirect_host}</Fact>
        <Fact label={words.site}>{site?.name}</Fact>
        {own && (
          <Fact label={words.you}>
            {own.name} ({own.email}).{' '}
            <Anchor component="button" type="button" fz="inherit" underline="always" onClick={makeRoom}>
              {words.somebodyElse}
            </Anchor>
          </Fact>
        )}
      </dl>
      <Alert
        color="yellow"
        icon={<IconAlertTriangle aria-hidden />}
        title={client.host === null && words.unvouched}
      >
        {[client.host === null && words.unvouchedLead, loopback && words.answerHereLead, words.careful]
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
