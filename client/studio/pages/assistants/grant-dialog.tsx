import { useState } from 'react';
import { isDangerous, mayGive, wordsOfScope } from '../../../../shared/contract/features/assistants.ts';
import { mcpScopeNames } from '../../../../shared/contract/scopes.ts';
import { useApi } from '../../data/api.tsx';
import { type ConnectedAssistant, connectedKey } from '../../data/queries.ts';
import { texts } from '../../texts/texts.ts';
import { ActionDialog } from '../../ui/action-dialog.tsx';
import { toast } from '../../ui/toast.tsx';
import { useWrite } from '../../ui/use-write.ts';
import { type Grant, GrantFields, withoutWithin } from './grant-fields.tsx';

/** Lets a connected assistant do more or less, from its next step on. */
export function GrantDialog({ assistant, onClose }: { assistant: ConnectedAssistant; onClose(): void }) {
  const { id, client, person, ends_at } = assistant;
  // No assistant may more than who connected it, whoever changes it.
  const { role } = person;
  const scopes = assistant.scopes.filter((scope) => mayGive(role, scope));
  const { studio } = useApi();
  const [grant, setGrant] = useState<Grant>({ scopes: withoutWithin(scopes), ends_at });
  const saving = useWrite({
    run: () =>
      studio.assistants.update.mutate({
        id,
        scopes: [...grant.scopes],
        ends_at: grant.ends_at?.toISOString() ?? null,
      }),
    refreshes: connectedKey,
    done: () => toast(texts.assistants.changed(client.name)),
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
    <ActionDialog
      title={texts.common.editOne(client.name)}
      action={texts.common.save}
      size="lg"
      isPending={saving.isPending}
      isDisabled={grant.scopes.length === 0}
      onSubmit={() => saving.mutate(undefined, { onSuccess: onClose })}
      onClose={onClose}
    >
      <GrantFields value={grant} offered={offered} onChange={setGrant} />
    </ActionDialog>
  );
}
