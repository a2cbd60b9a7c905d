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
import { problemsIn, problemsOf } from '../../forms/field-problems.ts';
import { messageFor } from '../../strings/errors.ts';
import { describeProblem } from '../../strings/failures.ts';
import { strings } from '../../strings/ui-strings.ts';
import { ActionDialog } from '../../ui/action-dialog.tsx';
import { useConfirm } from '../../ui/confirm.tsx';
import { Dot } from '../../ui/dot.tsx';
import { Note } from '../../ui/note.tsx';
import { Pending } from '../../ui/pending.tsx';
import { Screen } from '../../ui/screen.tsx';
import { toast } from '../../ui/toast.tsx';
import { useWrite } from '../../ui/use-write.ts';
import classes from './connection.module.css';

type Connection = OutputOf<ApiClient['studio']['payments']['get']>;

const labels = strings.payments;
const { on, off } = strings.common;

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
      {data.state === 'none' ? labels.connect : labels.change}
    </Button>
  );
  return (
    <Screen title={labels.title} lead={labels.lead} narrow>
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
          {labels.steps.open}
        </Anchor>{' '}
        {labels.steps.create}
      </List.Item>
      <List.Item>{labels.steps.write}</List.Item>
      <List.Item>{labels.steps.read}</List.Item>
      <List.Item>{labels.steps.paste}</List.Item>
    </List>
  </Paper>
);

function Connected({ connection }: { connection: Connection }) {
  const { reason, warning, livemode, account_name, webhook, automatic_tax, promotion_codes } = connection;
  const facts: (readonly [string, string])[] = [
    [labels.account, account_name || labels.unnamed],
    [labels.mode, livemode ? labels.live : labels.test],
    [labels.news, webhook ? labels.byWebhook : labels.byPolling],
    [labels.tax, automatic_tax ? on : off],
    [labels.codes, promotion_codes ? on : off],
  ];
  return (
    <>
      {reason && (
        <Alert color="red" title={labels.reasons[reason].title}>
          {labels.reasons[reason].lead}
        </Alert>
      )}
      {warning && <Alert color="yellow">{labels.warnings[warning]}</Alert>}
      {!livemode && <Alert color="yellow">{labels.testLead}</Alert>}
      <Paper p="lg" withBorder>
        <Stack gap="md">
          <Dot tone={reason ? 'bad' : 'good'} label={reason ? labels.broken : labels.active} />
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
  const confirm = useConfirm();
  const sync = useWrite({
    run: () => studio.payments.sync.mutate(),
    refreshes: paymentsKey,
    done: () => toast(labels.syncing),
  });
  const disconnect = () =>
    confirm({
      title: labels.disconnectTitle,
      lead: labels.disconnectLead,
      action: labels.disconnect,
      run: async () => {
        const { memberships } = await studio.payments.disconnect.mutate();
        toast(labels.disconnected(memberships));
      },
      refreshes: paymentsKey,
    });
  return (
    <>
      {(reason === null || reason === 'key_refused') && (
        <Button variant="default" loading={sync.isPending} onClick={() => sync.mutate()}>
          {labels.sync}
        </Button>
      )}
      <Button variant="default" onClick={disconnect}>
        {labels.disconnect}
      </Button>
    </>
  );
}

/**
 * Dialog that connects an account, or changes key and settings. It sends the key once, and never stores it in the
 * browser as other forms store unanswered requests.
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
        toast(labels.connected);
      },
    });
  };
  const isExplained = Object.keys(problems).length > 0;
  const isNew = connection.state === 'none';
  return (
    <ActionDialog
      title={isNew ? labels.connect : labels.change}
      action={isNew ? labels.connect : strings.common.save}
      isPending={connect.isPending}
      problem={connect.error && !isExplained ? messageFor(connect.error) : null}
      onSubmit={submit}
      {...{ onClose }}
    >
      <PasswordInput
        {...labels.key}
        autoComplete="off"
        value={values.key}
        error={describeProblem(problems.key)}
        onChange={({ currentTarget }) => set({ key: currentTarget.value.trim() })}
        data-autofocus
      />
      <Checkbox
        {...labels.taxField}
        checked={values.automatic_tax}
        onChange={({ currentTarget }) => set({ automatic_tax: currentTarget.checked })}
      />
      <Checkbox
        {...labels.codesField}
        checked={values.promotion_codes}
        onChange={({ currentTarget }) => set({ promotion_codes: currentTarget.checked })}
      />
      {!isNew && (
        <Checkbox
          {...labels.confirm}
          checked={values.confirm}
          error={describeProblem(problems.confirm)}
          onChange={({ currentTarget }) => set({ confirm: currentTarget.checked })}
        />
      )}
      {!isNew && <Note>{labels.changeLead}</Note>}
    </ActionDialog>
  );
}
