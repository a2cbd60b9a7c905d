import {
  Alert,
  Anchor,
  Button,
  Checkbox,
  Group,
  List,
  Paper,
  PasswordInput,
  Stack,
  Text,
} from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { ConnectPayments } from '../../../../shared/contract/features/payments.ts';
import type { ApiClient, OutputOf } from '../../../sdk/index.ts';
import { useApi } from '../../data/api.tsx';
import { queryOf } from '../../data/queries.ts';
import { problemsIn, problemsOf } from '../../forms/problems.ts';
import { wordsFor } from '../../strings/errors.ts';
import { describeProblem } from '../../strings/failures.ts';
import { texts } from '../../strings/texts.ts';
import { ActionDialog } from '../../ui/action-dialog.tsx';
import { useConfirm } from '../../ui/confirm.tsx';
import { Dot } from '../../ui/dot.tsx';
import { Note } from '../../ui/notes.tsx';
import { Pending } from '../../ui/pending.tsx';
import { Screen } from '../../ui/screen.tsx';
import { toast } from '../../ui/toast.tsx';
import { useWrite } from '../../ui/use-write.ts';
import classes from './connection.module.css';

type Connection = OutputOf<ApiClient['studio']['payments']['get']>;

const words = texts.payments;

const paymentsKey = ['payments'];

/** Connection of the site to its Stripe account. */
export default function ConnectionPage() {
  const { studio } = useApi();
  const connection = useQuery(queryOf(paymentsKey, studio.payments.get, undefined));
  const [isConnecting, setConnecting] = useState(false);
  const { data } = connection;
  if (!data) return <Pending query={connection} />;
  const connect = (
    <Button onClick={() => setConnecting(true)}>
      {data.state === 'none' ? words.connect : words.change}
    </Button>
  );
  return (
    <Screen title={words.title} lead={words.lead} narrow>
      {data.state === 'none' ? <Steps /> : <Connected connection={data} />}
      <Group gap="xs">
        {connect}
        {data.state !== 'none' && <Actions connection={data} />}
      </Group>
      {isConnecting && <ConnectDialog connection={data} onClose={() => setConnecting(false)} />}
    </Screen>
  );
}

/** Instructions for a restricted key. */
const Steps = () => (
  <Paper p="lg" withBorder>
    <List type="ordered" spacing="sm" fz="sm">
      <List.Item>
        <Anchor
          href="https://dashboard.stripe.com/apikeys"
          target="_blank"
          rel="noreferrer"
          fz="sm"
          underline="always"
        >
          {words.steps.open}
        </Anchor>{' '}
        {words.steps.create}
      </List.Item>
      <List.Item>{words.steps.write}</List.Item>
      <List.Item>{words.steps.read}</List.Item>
      <List.Item>{words.steps.paste}</List.Item>
    </List>
  </Paper>
);

function Connected({ connection }: { connection: Connection }) {
  const { reason, warning, livemode, account_name, webhook, automatic_tax, promotion_codes } = connection;
  const facts: (readonly [string, string])[] = [
    [words.account, account_name || words.unnamed],
    [words.mode, livemode ? words.live : words.test],
    [words.news, webhook ? words.byWebhook : words.byPolling],
    [words.tax, automatic_tax ? words.on : words.off],
    [words.codes, promotion_codes ? words.on : words.off],
  ];
  return (
    <>
      {reason && (
        <Alert color="red" title={words.reasons[reason].title}>
          {words.reasons[reason].lead}
        </Alert>
      )}
      {warning && <Alert color="yellow">{words.warnings[warning]}</Alert>}
      {!livemode && <Alert color="yellow">{words.testLead}</Alert>}
      <Paper p="lg" withBorder>
        <Stack gap="md">
          <Dot tone={reason ? 'bad' : 'good'} label={reason ? words.broken : words.active} />
          <dl className={classes.facts}>
            {facts.map(([name, value]) => (
              <div key={name}>
                <Text component="dt" fz="sm" c="dimmed">
                  {name}
                </Text>
                <Text component="dd" fz="sm">
                  {value}
                </Text>
              </div>
            ))}
          </dl>
        </Stack>
      </Paper>
    </>
  );
}

function Actions({ connection: { reason } }: { connection: Connection }) {
  const { studio } = useApi();
  const ask = useConfirm();
  const sync = useWrite({
    run: () => studio.payments.sync.mutate(),
    refreshes: paymentsKey,
    done: () => toast(words.syncing),
  });
  const disconnect = () =>
    ask({
      title: words.disconnectTitle,
      lead: words.disconnectLead,
      action: words.disconnect,
      run: async () => {
        const { memberships } = await studio.payments.disconnect.mutate();
        toast(words.disconnected(memberships));
      },
      refreshes: paymentsKey,
    });
  return (
    <>
      {(reason === null || reason === 'key_refused') && (
        <Button variant="default" loading={sync.isPending} onClick={() => sync.mutate()}>
          {words.sync}
        </Button>
      )}
      <Button variant="default" onClick={disconnect}>
        {words.disconnect}
      </Button>
    </>
  );
}

/**
 * Dialog that connects an account, or changes key and settings. The key is sent once and never kept in the browser, as the forms of
 * records do with unanswered requests.
 */
function ConnectDialog({ connection, onClose }: { connection: Connection; onClose(): void }) {
  const { studio } = useApi();
  const queries = useQueryClient();
  const { automatic_tax, promotion_codes } = connection;
  const [values, setValues] = useState({ key: '', automatic_tax, promotion_codes, confirm: false });
  const [isChecked, setChecked] = useState(false);
  const connect = useMutation({
    mutationFn: () => studio.payments.connect.mutate(values),
    onSettled: () => queries.invalidateQueries({ queryKey: paymentsKey }),
  });
  const typed = isChecked ? problemsOf(ConnectPayments, values) : {};
  const problems = { ...problemsIn(connect.error, ['key', 'confirm']), ...typed };
  const set = (changes: Partial<typeof values>) => {
    connect.reset();
    setValues({ ...values, ...changes });
  };
  const submit = () => {
    setChecked(true);
    if (Object.keys(problemsOf(ConnectPayments, values)).length > 0) return;
    connect.mutate(undefined, {
      onSuccess: () => {
        onClose();
        toast(words.connected);
      },
    });
  };
  const isExplained = Object.keys(problems).length > 0;
  const isNew = connection.state === 'none';
  return (
    <ActionDialog
      title={isNew ? words.connect : words.change}
      action={isNew ? words.connect : texts.common.save}
      isPending={connect.isPending}
      problem={connect.error && !isExplained ? wordsFor(connect.error) : null}
      onSubmit={submit}
      {...{ onClose }}
    >
      <PasswordInput
        {...words.key}
        autoComplete="off"
        value={values.key}
        error={describeProblem(problems.key)}
        onChange={({ currentTarget }) => set({ key: currentTarget.value.trim() })}
        data-autofocus
      />
      <Checkbox
        {...words.taxField}
        checked={values.automatic_tax}
        onChange={({ currentTarget }) => set({ automatic_tax: currentTarget.checked })}
      />
      <Checkbox
        {...words.codesField}
        checked={values.promotion_codes}
        onChange={({ currentTarget }) => set({ promotion_codes: currentTarget.checked })}
      />
      {!isNew && (
        <Checkbox
          {...words.confirm}
          checked={values.confirm}
          error={describeProblem(problems.confirm)}
          onChange={({ currentTarget }) => set({ confirm: currentTarget.checked })}
        />
      )}
      {!isNew && <Note>{words.changeLead}</Note>}
    </ActionDialog>
  );
}
