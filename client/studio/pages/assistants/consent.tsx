import { Button, Group } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { isApiError } from '../../../sdk/index.ts';
import { useApi } from '../../data/api.tsx';
import type { AskingAssistant } from '../../data/assistants.ts';
import { wordsFor } from '../../texts/errors.ts';
import { texts } from '../../texts/texts.ts';
import { IconCheck, IconX } from '../../ui/icons.ts';
import { Note } from '../../ui/note.tsx';
import { Problem } from '../../ui/problem.tsx';
import { Card } from './card.tsx';
import { type Grant, GrantFields, withoutWithin } from './grant-fields.tsx';
import { useSettled } from './use-settled.ts';
import { WhoAsks } from './who-asks.tsx';

/** What somebody said, and where that is told. */
export interface ConsentAnswer {
  name: string;
  isAllowed: boolean;
  redirect_to: string;
}

interface ConsentProps {
  asked: AskingAssistant;
  onAnswered(answer: ConsentAnswer): void;
  /** When it was answered elsewhere, or too late. */
  onOver(): void;
}

const words = texts.connect;

/** Who asks, what for, and both answers side by side. */
export function Consent({ asked, onAnswered, onOver }: ConsentProps) {
  const { assistants } = useApi().studio;
  const { id, client, scopes: offered } = asked;
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
    onError: (error) => isApiError(error) && error.data.code === 'not_found' && onOver(),
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
    <Card title={words.title}>
      <WhoAsks asked={asked} />
      <GrantFields value={{ scopes, ends_at }} offered={offered} onChange={setGrant} />
      <Problem>{answering.error && wordsFor(answering.error)}</Problem>
      <Group gap="sm">
        <Button {...answer(false)} leftSection={<IconX size={17} aria-hidden />}>
          {words.deny}
        </Button>
        <Button
          {...answer(true)}
          {...(!(canAllow && isSettled) && { disabled: true })}
          leftSection={<IconCheck size={17} aria-hidden />}
        >
          {words.allow}
        </Button>
      </Group>
      <Note>{canAllow ? words.later : words.choose}</Note>
    </Card>
  );
}
