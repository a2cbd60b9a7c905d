import { Button, Group, Modal, Stack } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { isDangerous, mayGive, wordsOfScope } from '../../../../shared/contract/features/assistants.ts';
import { mcpScopeNames } from '../../../../shared/contract/scopes.ts';
import { useApi } from '../../data/api.tsx';
import { type ConnectedAssistant, connectedKey } from '../../data/assistants.ts';
import { texts } from '../../texts/texts.ts';
import { toast, toastError } from '../../ui/toast.tsx';
import { type Grant, GrantFields, withoutWithin } from './grant-fields.tsx';

/** Lets a connected assistant do more or less, from its next step on. */
export function GrantDialog({ assistant, onClose }: { assistant: ConnectedAssistant; onClose(): void }) {
  const { id, client, person, ends_at } = assistant;
  // No assistant may more than who connected it, whoever changes it.
  const { role } = person;
  const scopes = assistant.scopes.filter((scope) => mayGive(role, scope));
  const { studio } = useApi();
  const queries = useQueryClient();
  const [grant, setGrant] = useState<Grant>({ scopes: withoutWithin(scopes), ends_at });
  const saving = useMutation({
    mutationFn: () =>
      studio.assistants.update.mutate({
        id,
        scopes: [...grant.scopes],
        ends_at: grant.ends_at?.toISOString() ?? null,
      }),
    onSuccess: async () => {
      await queries.invalidateQueries({ queryKey: connectedKey });
      onClose();
      toast(texts.assistants.changed(client.name));
    },
    onError: toastError,
  });
  const offered = mcpScopeNames
    .filter((scope) => mayGive(role, scope))
    .map((scope) => ({
      scope,
      words: wordsOfScope(scope, role),
      dangerous: isDangerous(scope),
      asked: scopes.includes(scope),
    }));
  return (
    <Modal opened onClose={onClose} title={texts.common.editOne(client.name)} size="lg">
      <Stack>
        <GrantFields value={grant} offered={offered} onChange={setGrant} />
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            {texts.common.cancel}
          </Button>
          <Button
            disabled={grant.scopes.length === 0}
            loading={saving.isPending}
            onClick={() => saving.mutate()}
          >
            {texts.common.save}
          </Button>
        </Group>
      </Stack>
    </Modal>
  );
}
