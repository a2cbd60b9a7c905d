import { Button, Group, Stack, Text, TextInput } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { ApiClient, OutputOf } from '../../../sdk/index.ts';
import { useApi, useOwn } from '../../data/api.tsx';
import { queryOf } from '../../data/queries.ts';
import { NewPasswordInput } from '../../forms/new-password-input.tsx';
import { strings } from '../../strings/ui-strings.ts';
import { DataTable, nameColumn, type TableColumn } from '../../ui/data-table.tsx';
import { Pending } from '../../ui/pending.tsx';
import { Screen, Section } from '../../ui/screen.tsx';
import { SubmitForm } from '../../ui/submit-form.tsx';
import { Time } from '../../ui/time.tsx';
import { toast, toastError } from '../../ui/toast.tsx';
import { useWrite } from '../../ui/use-write.ts';
import { CurrentPasswordInput, isWrongPassword } from './current-password-input.tsx';
import { SecondFactor } from './second-factor.tsx';

/** Page of the user's own account: name, email address, password, second factor and sessions. */
export default function AccountPage() {
  const own = useOwn();
  return (
    <Screen title={strings.account.title} narrow>
      <Stack gap={40}>
        <Section title={strings.account.name} lead={strings.account.nameLead}>
          <NameForm />
        </Section>
        <Section title={strings.session.password} lead={strings.account.passwordLead}>
          <PasswordForm />
        </Section>
        <SecondFactor />
        <Section title={strings.session.email} lead={strings.account.emailLead(own?.email ?? '')}>
          <EmailForm />
        </Section>
        <Section title={strings.account.sessions} lead={strings.account.sessionsLead}>
          <SignedInSessions />
        </Section>
      </Stack>
    </Screen>
  );
}

function NameForm() {
  const { studio } = useApi();
  const own = useOwn();
  const [typed, setTyped] = useState<string | null>(null);
  const name = typed ?? own?.name ?? '';
  const change = useWrite({
    run: () => studio.account.rename.mutate({ name }),
    refreshes: [],
    done: () => toast(strings.account.renamed),
  });
  return (
    <SubmitForm onSubmit={() => change.mutate()}>
      <TextInput
        aria-label={strings.account.name}
        autoComplete="name"
        required
        value={name}
        onChange={({ currentTarget }) => setTyped(currentTarget.value)}
        size="md"
      />
      <Group>
        <Button type="submit" variant="default" loading={change.isPending}>
          {strings.account.rename}
        </Button>
      </Group>
    </SubmitForm>
  );
}

function PasswordForm() {
  const { studio } = useApi();
  const [current, setCurrent] = useState('');
  const [password, setPassword] = useState('');
  const client = useQueryClient();
  const change = useMutation({
    mutationFn: () => studio.account.changePassword.mutate({ current, password }),
    onSuccess: () => {
      // Refetch the list of sessions, because changing the password ends all others.
      void client.invalidateQueries({ queryKey: ['sessions'] });
      setCurrent('');
      setPassword('');
      toast(strings.account.changed);
    },
    onError: (error) => isWrongPassword(error) || toastError(error),
  });
  return (
    <SubmitForm onSubmit={() => change.mutate()}>
      <CurrentPasswordInput value={current} error={change.error} onChange={setCurrent} />
      <NewPasswordInput value={password} onChange={setPassword} />
      <Group>
        <Button type="submit" loading={change.isPending}>
          {strings.account.change}
        </Button>
      </Group>
    </SubmitForm>
  );
}

/** Form that requests a confirmation link at a new address. The account's address changes when the link is confirmed. */
function EmailForm() {
  const { studio } = useApi();
  const [isOpen, setOpen] = useState(false);
  const [email, setEmail] = useState('');
  const [current, setCurrent] = useState('');
  const change = useMutation({
    mutationFn: () => studio.account.changeEmail.mutate({ email, current }),
    onSuccess: () => setCurrent(''),
    onError: (error) => isWrongPassword(error) || toastError(error),
  });
  if (change.isSuccess) return <Text role="status">{strings.account.emailSent(email)}</Text>;
  if (!isOpen)
    return (
      <Group>
        <Button variant="default" onClick={() => setOpen(true)}>
          {strings.account.changeEmail}
        </Button>
      </Group>
    );
  return (
    <SubmitForm onSubmit={() => change.mutate()}>
      <TextInput
        label={strings.account.newEmail}
        type="email"
        name="email"
        autoComplete="email"
        required
        value={email}
        onChange={({ currentTarget }) => setEmail(currentTarget.value)}
        size="md"
      />
      <CurrentPasswordInput value={current} error={change.error} onChange={setCurrent} />
      <Group>
        <Button type="submit" loading={change.isPending}>
          {strings.account.mailLink}
        </Button>
      </Group>
    </SubmitForm>
  );
}

type Session = OutputOf<ApiClient['studio']['sessions']['list']>['data'][number];

const queryKey = ['sessions'];

/** Sessions of the user, each with a button that ends it. */
function SignedInSessions() {
  const { studio } = useApi();
  const list = useQuery(queryOf(queryKey, studio.sessions.list, undefined));
  const end = useWrite({ run: (id: string) => studio.sessions.end.mutate({ id }), refreshes: queryKey });
  const endOthers = useWrite({ run: () => studio.sessions.endOthers.mutate(), refreshes: queryKey });
  if (!list.data) return <Pending query={list} />;
  const { data } = list.data;
  return (
    <>
      <DataTable
        isList
        label={strings.account.sessions}
        rows={data}
        columns={[...columns, endColumn(end.mutate)]}
      />
      {data.length > 1 && (
        <Group>
          <Button variant="default" onClick={() => endOthers.mutate()}>
            {strings.account.endOthers}
          </Button>
        </Group>
      )}
    </>
  );
}

const columns: TableColumn<Session>[] = [
  nameColumn(strings.account.browser, ({ browser, address, is_current }) => ({
    first: browser ?? strings.account.noBrowser,
    second: is_current ? strings.account.thisOne : address,
  })),
  {
    label: strings.common.lastUsed,
    column: 'when',
    cell: ({ created, last_used_at: used }) => <Time at={used ?? created} />,
  },
];

const endColumn = (end: (id: string) => void): TableColumn<Session> => ({
  label: strings.account.end,
  column: 'actions',
  cell: ({ id, is_current, browser }) =>
    is_current ? null : (
      <Button
        size="compact-sm"
        variant="default"
        aria-label={strings.account.endOf(browser ?? strings.account.noBrowser)}
        onClick={() => end(id)}
      >
        {strings.account.end}
      </Button>
    ),
});
