import { TextInput } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { isApiError } from '../../../sdk/index.ts';
import { useApi } from '../../data/api.tsx';
import { makePasskey } from '../../data/passkeys.ts';
import { type Factor, factorsQuery } from '../../data/queries.ts';
import { wordsFor } from '../../texts/errors.ts';
import { texts } from '../../texts/texts.ts';
import { ActionDialog } from '../../ui/action-dialog.tsx';
import { Note } from '../../ui/notes.tsx';
import { CurrentPasswordInput, isWrongPassword } from './current-password-input.tsx';

const words = texts.factors;

export interface AddFactorProps {
  onClose(): void;
  /** Gets its name, and the recovery codes that come with the first one. */
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
      title={words.addPasskey}
      action={words.continue}
      isPending={adding.isPending}
      problem={
        error && !isWrongPassword(error) ? (isApiError(error) ? wordsFor(error) : words.notMade) : null
      }
      onSubmit={adding.mutate}
      onClose={onClose}
    >
      <Note>{words.passkeyHelp}</Note>
      <CurrentPasswordInput value={current} error={error} onChange={setCurrent} />
      <FactorNameInput value={name} example={words.passkeyName} onChange={setName} />
    </ActionDialog>
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
      title={texts.factors.renameOne(factor.name)}
      action={texts.common.save}
      isPending={renaming.isPending}
      problem={renaming.error && wordsFor(renaming.error)}
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

/** What its owner calls a factor. */
export const FactorNameInput = ({ value, example = '', onChange }: FactorNameInputProps) => (
  <TextInput
    required
    size="md"
    maxLength={100}
    {...texts.factors.name}
    placeholder={example}
    value={value}
    onChange={({ currentTarget }) => onChange(currentTarget.value)}
  />
);
