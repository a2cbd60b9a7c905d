import { IconClipboardList } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { isDangerous, mayGive, wordsOfScope } from '../../../../shared/contract/features/assistants.ts';
import { mcpScopeNames } from '../../../../shared/contract/scopes.ts';
import { useApi } from '../../data/api.tsx';
import { useMayWrite } from '../../data/permissions.ts';
import { type ConnectedAssistant, connectedKey, connectedQuery } from '../../data/queries.ts';
import { strings } from '../../strings/ui-strings.ts';
import { ActionDialog } from '../../ui/action-dialog.tsx';
import { useConfirm } from '../../ui/confirm.tsx';
import { DataTable, nameColumn, type TableColumn, timeColumn } from '../../ui/data-table.tsx';
import { Pending } from '../../ui/pending.tsx';
import { deletion, editing, menuColumn } from '../../ui/row-menu.tsx';
import { Section } from '../../ui/screen.tsx';
import { toast } from '../../ui/toast.tsx';
import { useWrite } from '../../ui/use-write.ts';
import { type Grant, GrantFields, withoutWithin } from './grant-fields.tsx';

const labels = strings.assistants;

/** Connected assistants: those of all staff for owners, a user's own for others. */
export function Connected() {
  const list = useQuery(connectedQuery(useApi()));
  const navigate = useNavigate();
  const seesActivity = useMayWrite('site');
  const [changed, setChanged] = useState<ConnectedAssistant | null>(null);
  const end = useEnding();
  if (!list.data) return <Pending query={list} />;
  const { data } = list.data;
  const actions = menuColumn<ConnectedAssistant>(
    ({ client }) => client.name,
    (assistant) => [
      editing(() => setChanged(assistant), labels.change),
      seesActivity && {
        label: labels.activity,
        icon: IconClipboardList,
        run: () => void navigate({ to: '/tools/activity', search: { who: assistant.id } }),
      },
      deletion(() => end(assistant), labels.end),
    ],
  );
  return (
    <Section
      title={data.length > 0 ? labels.connected : labels.none}
      lead={data.length === 0 && labels.noneLead}
    >
      {data.length > 0 && (
        <DataTable isList label={labels.connected} rows={data} columns={[...columns, actions]} />
      )}
      {changed && <GrantDialog assistant={changed} onClose={() => setChanged(null)} />}
    </Section>
  );
}

const columns: TableColumn<ConnectedAssistant>[] = [
  nameColumn(labels.name, ({ client: { name, host } }) => ({
    first: name,
    second: host !== null ? labels.vouched(host) : labels.unvouched,
  })),
  { label: labels.by, column: 'state', cell: ({ person }) => person.name },
  timeColumn('created', strings.common.since, { column: 'detail' }),
  timeColumn('last_used', strings.common.lastUsed, { none: labels.unused }),
  timeColumn('ends_at', labels.ends, { column: 'detail', none: labels.open }),
];

/** Returns a function that disconnects an assistant after confirmation. */
function useEnding() {
  const { studio } = useApi();
  const confirm = useConfirm();
  return ({ id, client: { name } }: ConnectedAssistant) =>
    confirm({
      title: labels.endOne(name),
      lead: labels.endLead,
      action: labels.end,
      run: () => studio.assistants.revoke.mutate({ id }),
      refreshes: connectedKey,
      done: labels.ended(name),
    });
}

/** Dialog that changes an assistant's scopes and end date, which apply from its next request. */
function GrantDialog({ assistant, onClose }: { assistant: ConnectedAssistant; onClose(): void }) {
  const { id, client, person, ends_at } = assistant;
  // An assistant never gets more scopes than the role of the user who connected it, even if another user changes it.
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
    done: () => toast(strings.assistants.changed(client.name)),
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
      title={strings.common.editOne(client.name)}
      action={strings.common.save}
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
