import { Button, Stack, Text } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { createClient, isApiError } from '../../../sdk/index.ts';
import { wordsFor } from '../../texts/errors.ts';
import { texts } from '../../texts/texts.ts';
import { Problem } from '../../ui/notes.tsx';
import { SessionCard } from './session-card.tsx';

/** Where the link leads that was mailed to a new address. */
export const newEmailPath = '/studio/new-email';

const { newEmail } = texts.session;

/** Scanners of mail open links, so a press confirms, not the visit. */
export function NewEmailPage() {
  const confirm = useMutation({
    mutationFn: () => {
      const { origin, hash } = window.location;
      return createClient({ baseUrl: origin }).admin.email.confirm.mutate({ token: hash.slice(1) });
    },
  });
  return (
    <SessionCard title={newEmail.title} lead={newEmail.lead}>
      <Stack gap="md">
        {confirm.isSuccess && <Text role="status">{newEmail.done}</Text>}
        <Problem>{confirm.error && refusal(confirm.error)}</Problem>
        {confirm.isSuccess ? (
          <Button component="a" href="/studio" size="md">
            {newEmail.goOn}
          </Button>
        ) : (
          <Button size="md" loading={confirm.isPending} onClick={() => confirm.mutate()}>
            {newEmail.confirm}
          </Button>
        )}
      </Stack>
    </SessionCard>
  );
}

const refusal = (error: unknown) => {
  const code = isApiError(error) ? error.data.code : undefined;
  if (code === 'account_exists') return newEmail.taken;
  return code === 'unauthorized' ? newEmail.spent : wordsFor(error);
};
