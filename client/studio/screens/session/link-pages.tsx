import { Button, Stack, Text } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { isApiError } from '../../../sdk/index.ts';
import { doorFor } from '../../data/session.ts';
import { NewPasswordInput } from '../../forms/new-password-input.tsx';
import { messageFor } from '../../strings/errors.ts';
import { strings } from '../../strings/ui-strings.ts';
import { Problem } from '../../ui/note.tsx';
import { SubmitForm } from '../../ui/submit-form.tsx';
import { SessionCard } from './session-card.tsx';

/** Paths in emailed links: password reset and a changed email address. */
export const newPasswordPath = '/studio/new-password';
export const newEmailPath = '/studio/new-email';

const { newPassword, newEmail, signIn } = strings.session;

export function NewPasswordPage() {
  const [password, setPassword] = useState('');
  return (
    <LinkCard
      words={{ ...newPassword, confirm: newPassword.save, goOn: signIn }}
      refusals={{ unauthorized: newPassword.spent }}
      confirm={(token) => doorFor().admin.passwordReset.confirm.mutate({ token, password })}
    >
      <NewPasswordInput value={password} onChange={setPassword} />
    </LinkCard>
  );
}

/** Page that confirms a new email address. It confirms on a click, not on the visit, because mail scanners open links. */
export const NewEmailPage = () => (
  <LinkCard
    words={newEmail}
    refusals={{ unauthorized: newEmail.spent, account_exists: newEmail.taken }}
    confirm={(token) => doorFor().admin.email.confirm.mutate({ token })}
  />
);

interface LinkCardProps {
  words: Record<'title' | 'lead' | 'confirm' | 'done' | 'goOn', string>;
  /** Messages by error code. */
  refusals: Partial<Record<string, string>>;
  confirm(token: string): Promise<unknown>;
  children?: ReactNode;
}

/** Page that carries out an emailed link and then links to the studio. */
function LinkCard({ words: labels, refusals, confirm, children }: LinkCardProps) {
  const { error, ...confirming } = useMutation({ mutationFn: () => confirm(window.location.hash.slice(1)) });
  const refusal = isApiError(error) ? refusals[error.data.code] : undefined;
  return (
    <SessionCard title={labels.title} lead={labels.lead}>
      {confirming.isSuccess ? (
        <Stack gap="md">
          <Text role="status">{labels.done}</Text>
          <Button component="a" href="/studio" size="md">
            {labels.goOn}
          </Button>
        </Stack>
      ) : (
        <SubmitForm onSubmit={() => confirming.mutate()}>
          {children}
          <Problem>{error && (refusal ?? messageFor(error))}</Problem>
          <Button type="submit" size="md" loading={confirming.isPending}>
            {labels.confirm}
          </Button>
        </SubmitForm>
      )}
    </SessionCard>
  );
}
