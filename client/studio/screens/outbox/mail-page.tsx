import { Anchor, Group, Paper, SegmentedControl, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { useState } from 'react';
import { useApi } from '../../data/api.tsx';
import { queryOf } from '../../data/queries.ts';
import { choicesOf } from '../../forms/input-props.ts';
import { strings } from '../../strings/ui-strings.ts';
import { MailFrame } from '../../ui/mail-frame.tsx';
import { Pending } from '../../ui/pending.tsx';
import { BackLink, Screen } from '../../ui/screen.tsx';
import { useTimeFormat } from '../../ui/time.tsx';

const labels = strings.outbox;

/** Page with an email as its reader would receive it. */
export default function MailPage() {
  const { id } = useParams({ from: '/outbox/$id' });
  const { studio } = useApi();
  const { inFull } = useTimeFormat();
  const [form, setForm] = useState('html');
  const mail = useQuery(queryOf(['outbox', 'mail', id], studio.outbox.get, { id }));
  if (!mail.data) return <Pending query={mail} />;
  const { subject, from, to, created, html, text } = mail.data;
  return (
    <Screen
      narrow
      title={subject || labels.noSubject}
      lead={`${labels.between(from, to)} · ${inFull(created)}`}
      back={<BackLink to="/outbox">{labels.title}</BackLink>}
    >
      {html !== null && (
        <Group>
          <SegmentedControl
            aria-label={labels.show}
            data={choicesOf(labels.forms)}
            value={form}
            onChange={setForm}
          />
        </Group>
      )}
      {html !== null && form === 'html' ? (
        <Paper withBorder radius="lg" style={{ overflow: 'hidden' }}>
          <MailFrame title={subject || labels.noSubject} html={html} />
        </Paper>
      ) : (
        <PlainText text={text} />
      )}
    </Screen>
  );
}

/** Text of an email with working links; those in the frame are disabled. */
const PlainText = ({ text }: { text: string }) => (
  <Text component="div" style={{ whiteSpace: 'pre-wrap', overflowWrap: 'anywhere' }}>
    {text.split(/(https?:\/\/[^\s<>]+)/).map((part, at) =>
      at % 2 === 0 ? (
        part
      ) : (
        <Anchor key={at} href={part} target="_blank" rel="noreferrer">
          {part}
        </Anchor>
      ),
    )}
  </Text>
);
