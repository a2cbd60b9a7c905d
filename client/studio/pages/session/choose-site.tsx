import { Button, Stack, Text } from '@mantine/core';
import type { SiteChoice } from '../../../sdk/index.ts';
import { texts } from '../../texts/texts.ts';
import { Note } from '../../ui/note.tsx';
import { Problem } from '../../ui/problem.tsx';

interface ChooseSiteProps {
  sites: readonly SiteChoice[];
  isPending: boolean;
  problem: string | null;
  onChoose(id: string): void;
}

/** On which of their sites somebody wants to work. */
export const ChooseSite = ({ sites, isPending, problem, onChoose }: ChooseSiteProps) => (
  <Stack gap="sm" role="group" aria-label={texts.session.chooseSite}>
    <Note role="status">{texts.session.chooseSite}</Note>
    <Problem>{problem}</Problem>
    {sites.map(({ id, name, role }, place) => (
      <Button
        key={id}
        variant="default"
        size="md"
        justify="space-between"
        disabled={isPending}
        data-autofocus={place === 0 || undefined}
        rightSection={
          <Text span fz="xs" c="dimmed">
            {texts.people.roles[role]}
          </Text>
        }
        onClick={() => onChoose(id)}
      >
        {name}
      </Button>
    ))}
  </Stack>
);
