import { Anchor, Badge, Code, Group } from '@mantine/core';
import { IconKey, IconPower, IconRefresh } from '@tabler/icons-react';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useAccountStorage, useApi } from '../../data/api.tsx';
import { keysQuery } from '../../data/queries.ts';
import { createOnce } from '../../forms/idempotent-create.ts';
import { ListScreen } from '../../records/list/list-screen.tsx';
import { useWholeList } from '../../records/list/use-list-page.ts';
import { strings } from '../../strings/ui-strings.ts';
import { useConfirm } from '../../ui/confirm.tsx';
import { nameColumn, stateColumn, type TableColumn, timeColumn } from '../../ui/data-table.tsx';
import { Dot } from '../../ui/dot.tsx';
import { deletion, editing } from '../../ui/row-menu.tsx';
import { useSecret } from '../../ui/secret-dialog.tsx';
import { useTimeFormat } from '../../ui/time.tsx';
import { toast } from '../../ui/toast.tsx';
import { useWrite } from '../../ui/use-write.ts';
import { type ApiKey, KeyDialog } from './key-dialog.tsx';

export default function KeysPage() {
  const list = useWholeList(useQuery(keysQuery(useApi())));
  const actions = useKeyActions();
  return (
    <ListScreen
      {...{ list, columns }}
      words={{ ...strings.keys, lead }}
      icon={IconKey}
      menu={{
        nameOf: ({ name }) => name,
        actionsOf: (key, edit) => [
          editing(edit),
          { label: strings.keys.rotate, icon: IconRefresh, run: () => actions.rotate(key) },
          {
            label: key.active ? strings.common.switchOff : strings.common.switchOn,
            icon: IconPower,
            run: () => actions.switchTo(key, !key.active),
          },
          deletion(() => actions.remove(key)),
        ],
      }}
      form={(edited, onClose) => <KeyDialog {...{ edited, onClose }} onCreated={actions.showNew} />}
    >
      {actions.dialog}
    </ListScreen>
  );
}

const columns: TableColumn<ApiKey>[] = [
  nameColumn(strings.keys.name.label, ({ name, key_prefix }) => ({
    first: name,
    second: <Code fz={12}>{key_prefix}…</Code>,
  })),
  { label: strings.keys.scopes, column: 'detail', cell: ({ scopes }) => <Scopes scopes={scopes} /> },
  timeColumn('last_used_at', strings.common.lastUsed, { column: 'detail' }),
  timeColumn('expiry', strings.keys.expires.label, { column: 'detail' }),
  stateColumn((key) => <KeyState apiKey={key} />),
];

const lead = (
  <>
    {strings.keys.lead}{' '}
    <Anchor href="/docs" target="_blank" fz="inherit" underline="always">
      {strings.keys.reference}
    </Anchor>
  </>
);

const fewScopes = 3;

const Scopes = ({ scopes }: { scopes: readonly string[] }) => (
  <Group gap={4} wrap="nowrap" title={scopes.join(', ')}>
    {scopes.slice(0, fewScopes).map((scope) => (
      <Badge key={scope} color="gray" ff="monospace">
        {scope}
      </Badge>
    ))}
    {scopes.length > fewScopes && <Badge color="gray">+{scopes.length - fewScopes}</Badge>}
  </Group>
);

function KeyState({ apiKey: { active, expiry } }: { apiKey: ApiKey }) {
  if (!active) return <Dot tone="off" label={strings.common.off} />;
  if (expiry && expiry < new Date()) return <Dot tone="bad" label={strings.keys.expired} />;
  return <Dot tone="good" label={strings.common.on} />;
}

function useKeyActions() {
  const { admin } = useApi();
  const { storage } = useAccountStorage();
  const queries = useQueryClient();
  const confirm = useConfirm();
  const { show, dialog } = useSecret();
  const { inFull } = useTimeFormat();
  const refresh = () => queries.invalidateQueries({ queryKey: ['api-keys'] });
  const switching = useWrite({
    run: ({ id, active }: ApiKey) => admin.apiKeys.update.mutate({ id, active }),
    refreshes: ['api-keys'],
    done: (_, key) =>
      toast(strings.keys.switched(key.name, key.active), () =>
        switching.mutate({ ...key, active: !key.active }),
      ),
  });
  return {
    dialog,
    showNew: (secret: string) => show({ title: strings.keys.created, lead: strings.secret.lead, secret }),
    switchTo: (key: ApiKey, active: boolean) => switching.mutate({ ...key, active }),
    rotate: (key: ApiKey) =>
      confirm({
        title: strings.keys.rotateOne(key.name),
        lead: strings.keys.rotateLead,
        action: strings.keys.rotate,
        run: async () => {
          const { answer } = await createOnce(storage, `api-keys:${key.id}:rotate`).send({}, (_, options) =>
            admin.apiKeys.rotate.mutate({ id: key.id }, options),
          );
          const { key: secret, previous_key_expires_at } = answer;
          await refresh();
          show({
            title: strings.keys.rotated,
            lead: strings.keys.overlap(inFull(previous_key_expires_at)),
            secret,
          });
        },
      }),
    remove: (key: ApiKey) =>
      confirm({
        title: strings.records.deleteOne(key.name),
        lead: strings.keys.deleteLead,
        action: strings.common.delete,
        run: () => admin.apiKeys.delete.mutate({ id: key.id }),
        refreshes: ['api-keys'],
        done: strings.records.deleted(key.name),
      }),
  };
}
