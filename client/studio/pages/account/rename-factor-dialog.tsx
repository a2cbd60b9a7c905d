import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useApi } from '../../data/api.tsx';
import { type Factor, factorsQuery } from '../../data/factors.ts';
import { wordsFor } from '../../texts/errors.ts';
import { texts } from '../../texts/texts.ts';
import { ActionDialog } from '../../ui/action-dialog.tsx';
import { FactorNameInput } from './factor-name-input.tsx';

export function RenameFactorDialog({ factor, onClose }: { factor: Factor; onClose(): void }) {
  const api = useApi();
  const queries = useQueryClient();
  const [name, setName] = useState(factor.name);
  const renaming = useMutation({
    mutationFn: () => api.studio.factors.rename.mutate({ id: factor.id, name }),
    onSuccess: async () => {
      await queries.invalidateQueries(factorsQuery(api));
      onClose();
    },
  });
  return (
    <ActionDialog
      title={texts.factors.renameOne(factor.name)}
      action={texts.common.save}
      isPending={renaming.isPending}
      problem={renaming.error && wordsFor(renaming.error)}
      onSubmit={renaming.mutate}
      onClose={onClose}
    >
      <FactorNameInput value={name} onChange={setName} />
    </ActionDialog>
  );
}
