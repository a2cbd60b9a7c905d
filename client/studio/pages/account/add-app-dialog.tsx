import { Anchor, Stack, Text, TextInput } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { encode } from 'uqr';
import type { ApiClient, OutputOf } from '../../../sdk/index.ts';
import { useApi } from '../../data/api.tsx';
import { problemsIn } from '../../forms/problems.ts';
import { wordsFor } from '../../texts/errors.ts';
import { texts } from '../../texts/texts.ts';
import { ActionDialog } from '../../ui/action-dialog.tsx';
import { Note } from '../../ui/notes.tsx';
import { Copyable } from '../../ui/secret.tsx';
import { CurrentPasswordInput, isWrongPassword } from './current-password-input.tsx';
import { type AddFactorProps, FactorNameInput } from './factor-dialogs.tsx';
import classes from './factors.module.css';

const words = texts.factors;

/** Asks for the password, then shows what the app is to know, and takes a code of it. */
export function AddAppDialog(props: AddFactorProps) {
  const { totp } = useApi().studio.factors;
  const [current, setCurrent] = useState('');
  const [name, setName] = useState<string>(words.appName);
  const beginning = useMutation({ mutationFn: () => totp.begin.mutate({ current }) });
  const { data: app, error } = beginning;
  if (app) return <ConfirmDialog {...props} {...{ app, name }} />;
  return (
    <ActionDialog
      title={words.addApp}
      action={words.continue}
      isPending={beginning.isPending}
      problem={error && !isWrongPassword(error) ? wordsFor(error) : null}
      onSubmit={beginning.mutate}
      onClose={props.onClose}
    >
      <CurrentPasswordInput value={current} error={error} onChange={setCurrent} />
      <FactorNameInput value={name} onChange={setName} />
    </ActionDialog>
  );
}

type NewApp = OutputOf<ApiClient['studio']['factors']['totp']['begin']>;

function ConfirmDialog({ app, name, onClose, onAdded }: AddFactorProps & { app: NewApp; name: string }) {
  const { totp } = useApi().studio.factors;
  const [code, setCode] = useState('');
  const confirming = useMutation({
    mutationFn: () => totp.confirm.mutate({ code, name }),
    onSuccess: ({ recovery_codes }) => onAdded(name, recovery_codes),
  });
  const { error } = confirming;
  const isWrong = 'code' in problemsIn(error, ['code']);
  return (
    <ActionDialog
      title={words.addApp}
      action={words.add}
      isPending={confirming.isPending}
      problem={error && !isWrong ? wordsFor(error) : null}
      onSubmit={confirming.mutate}
      onClose={onClose}
    >
      <Text fz="sm">{words.scan}</Text>
      <QrCode text={app.uri} label={words.qr} />
      <Anchor href={app.uri} fz="sm" ta="center">
        {words.openHere}
      </Anchor>
      <Stack gap={6}>
        <Note>{words.type}</Note>
        <Copyable text={app.secret} />
      </Stack>
      <TextInput
        required
        size="md"
        label={words.appCode}
        autoComplete="one-time-code"
        inputMode="numeric"
        maxLength={40}
        value={code}
        error={isWrong && words.step.wrong.totp}
        onChange={({ currentTarget }) => setCode(currentTarget.value)}
        data-autofocus
      />
    </ActionDialog>
  );
}

/** A text as a picture that phones read, dark on light in every scheme. */
function QrCode({ text, label }: { text: string; label: string }) {
  const { data, size } = encode(text, { border: 4 });
  const dots = data.flatMap((row, y) => row.flatMap((isDark, x) => (isDark ? `M${x} ${y}h1v1h-1z` : [])));
  return (
    <svg className={classes.qr} viewBox={`0 0 ${size} ${size}`} role="img" aria-label={label}>
      <path d={dots.join('')} />
    </svg>
  );
}
