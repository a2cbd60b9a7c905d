import { Anchor, Button, Group, Modal, Stack, Text, TextInput } from '@mantine/core';
import { IconCopy, IconDownload } from '@tabler/icons-react';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { encode } from 'uqr';
import { type ApiClient, isApiError, type OutputOf } from '../../../sdk/index.ts';
import { useApi } from '../../data/api.tsx';
import { makePasskey } from '../../data/passkeys.ts';
import { type Factor, factorsQuery } from '../../data/queries.ts';
import { problemsIn } from '../../forms/field-problems.ts';
import { messageFor } from '../../strings/errors.ts';
import { strings } from '../../strings/ui-strings.ts';
import { ActionDialog } from '../../ui/action-dialog.tsx';
import { copyText } from '../../ui/browser.ts';
import { Note } from '../../ui/note.tsx';
import { Copyable } from '../../ui/secret-dialog.tsx';
import { toast } from '../../ui/toast.tsx';
import { CurrentPasswordInput, isWrongPassword } from './current-password-input.tsx';
import classes from './factors.module.css';

const labels = strings.factors;

interface AddFactorProps {
  onClose(): void;
  /** Called with the factor's name, and the recovery codes that come with the first factor. */
  onAdded(name: string, codes: readonly string[] | null): void;
}

export function AddPasskeyDialog({ onClose, onAdded }: AddFactorProps) {
  const { passkeys } = useApi().studio.factors;
  const [name, setName] = useState('');
  const [current, setCurrent] = useState('');
  const adding = useMutation({
    mutationFn: async () => {
      const { options } = await passkeys.begin.mutate({ current });
      return passkeys.finish.mutate({ name, response: await makePasskey(options) });
    },
    onSuccess: ({ recovery_codes }) => onAdded(name, recovery_codes),
  });
  const { error } = adding;
  return (
    <ActionDialog
      title={labels.addPasskey}
      action={labels.continue}
      isPending={adding.isPending}
      problem={
        error && !isWrongPassword(error) ? (isApiError(error) ? messageFor(error) : labels.notMade) : null
      }
      onSubmit={adding.mutate}
      onClose={onClose}
    >
      <Note>{labels.passkeyHelp}</Note>
      <CurrentPasswordInput value={current} error={error} onChange={setCurrent} />
      <FactorNameInput value={name} example={labels.passkeyName} onChange={setName} />
    </ActionDialog>
  );
}

/** Dialog that asks for the password, then shows the secret for an authenticator app and checks a code of it. */
export function AddAppDialog(props: AddFactorProps) {
  const { totp } = useApi().studio.factors;
  const [current, setCurrent] = useState('');
  const [name, setName] = useState<string>(labels.appName);
  const beginning = useMutation({ mutationFn: () => totp.begin.mutate({ current }) });
  const { data: app, error } = beginning;
  if (app) return <ConfirmDialog {...props} {...{ app, name }} />;
  return (
    <ActionDialog
      title={labels.addApp}
      action={labels.continue}
      isPending={beginning.isPending}
      problem={error && !isWrongPassword(error) ? messageFor(error) : null}
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
      title={labels.addApp}
      action={labels.add}
      isPending={confirming.isPending}
      problem={error && !isWrong ? messageFor(error) : null}
      onSubmit={confirming.mutate}
      onClose={onClose}
    >
      <Text fz="sm">{labels.scan}</Text>
      <QrCode text={app.uri} label={labels.qr} />
      <Anchor href={app.uri} fz="sm" ta="center">
        {labels.openHere}
      </Anchor>
      <Stack gap={6}>
        <Note>{labels.type}</Note>
        <Copyable text={app.secret} />
      </Stack>
      <TextInput
        required
        size="md"
        label={labels.appCode}
        autoComplete="one-time-code"
        inputMode="numeric"
        maxLength={40}
        value={code}
        error={isWrong && labels.step.wrong.totp}
        onChange={({ currentTarget }) => setCode(currentTarget.value)}
        data-autofocus
      />
    </ActionDialog>
  );
}

/** QR code, dark on light in every color scheme. */
function QrCode({ text, label }: { text: string; label: string }) {
  const { data, size } = encode(text, { border: 4 });
  const dots = data.flatMap((row, y) => row.flatMap((isDark, x) => (isDark ? `M${x} ${y}h1v1h-1z` : [])));
  return (
    <svg className={classes.qr} viewBox={`0 0 ${size} ${size}`} role="img" aria-label={label}>
      <path d={dots.join('')} />
    </svg>
  );
}

export function RenameFactorDialog({ factor, onClose }: { factor: Factor; onClose(): void }) {
  const api = useApi();
  const queries = useQueryClient();
  const [name, setName] = useState(factor.name);
  const renaming = useMutation({
    mutationFn: () => api.studio.factors.rename.mutate({ id: factor.id, name }),
    onSuccess: () => queries.invalidateQueries(factorsQuery(api)),
  });
  return (
    <ActionDialog
      title={strings.factors.renameOne(factor.name)}
      action={strings.common.save}
      isPending={renaming.isPending}
      problem={renaming.error && messageFor(renaming.error)}
      onSubmit={() => renaming.mutate(undefined, { onSuccess: onClose })}
      onClose={onClose}
    >
      <FactorNameInput value={name} onChange={setName} />
    </ActionDialog>
  );
}

interface FactorNameInputProps {
  value: string;
  example?: string;
  onChange(name: string): void;
}

const FactorNameInput = ({ value, example = '', onChange }: FactorNameInputProps) => (
  <TextInput
    required
    size="md"
    maxLength={100}
    {...strings.factors.name}
    placeholder={example}
    value={value}
    onChange={({ currentTarget }) => onChange(currentTarget.value)}
  />
);

const recoveryLabels = strings.factors.recovery;

/**
 * Dialog with new recovery codes. It closes only by its button, so that a click beside it does not lose the codes, which
 * are shown once.
 */
export function RecoveryCodesDialog({ codes, onClose }: { codes: readonly string[]; onClose(): void }) {
  const text = `${codes.join('\n')}\n`;
  const copy = async () => {
    if (await copyText(text)) toast(strings.common.copied);
  };
  return (
    <Modal
      opened
      onClose={onClose}
      title={recoveryLabels.title}
      size="lg"
      withCloseButton={false}
      closeOnClickOutside={false}
      closeOnEscape={false}
    >
      <Stack>
        <Note>{recoveryLabels.lead}</Note>
        <ul className={classes.codes}>
          {codes.map((code) => (
            <li key={code}>{code}</li>
          ))}
        </ul>
        <Group justify="space-between" gap="xs">
          <Group gap="xs">
            <Button variant="default" leftSection={<IconCopy size={16} />} onClick={copy}>
              {strings.common.copy}
            </Button>
            <Button
              component="a"
              variant="default"
              leftSection={<IconDownload size={16} />}
              href={`data:text/plain;charset=utf-8,${encodeURIComponent(text)}`}
              download={recoveryLabels.file}
            >
              {recoveryLabels.download}
            </Button>
          </Group>
          <Button onClick={onClose}>{recoveryLabels.kept}</Button>
        </Group>
      </Stack>
    </Modal>
  );
}
