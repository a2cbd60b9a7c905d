import { Button, Group } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { useApi } from '../../data/api.tsx';
import type { AskingAssistant } from '../../data/queries.ts';
import { codeOf, wordsFor } from '../../texts/errors.ts';
import { texts } from '../../texts/texts.ts';
import { IconCheck, IconX } from '../../ui/icons.ts';
import { Note, Problem } from '../../ui/notes.tsx';
import { Card } from './card.tsx';
import { type Grant, GrantFields, withoutWithin } from './grant-fields.tsx';
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

/** Longer than between the two presses of a double click. */
const settleMs = 700;

/**
 * Whether the page has been in front for a moment: a press that was meant for a window before it, which another page may have opened
 * and closed for that, allows nothing.
 */
function useSettled(): boolean {
  const [isSettled, setSettled] = useState(false);
  useEffect(() => {
    let timer: number | undefined;
    const begin = () => {
      window.clearTimeout(timer);
      setSettled(false);
      timer = window.setTimeout(() => setSettled(true), settleMs);
    };
    begin();
    window.addEventListener('focus', begin);
    return () => {
      window.clearTimeout(timer);
      window.removeEventListener('focus', begin);
    };
  }, []);
  return isSettled;
}
