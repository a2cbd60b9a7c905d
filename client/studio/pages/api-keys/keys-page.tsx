import { Anchor, Badge, Code, Group } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useApi } from '../../data/api.tsx';
import { keysQuery } from '../../data/queries.ts';
import { ListScreen } from '../../kinds/list/list-screen.tsx';
import { useWholeList } from '../../kinds/list/use-list-page.ts';
import { texts } from '../../texts/texts.ts';
import { momentColumn, nameColumn, stateColumn } from '../../ui/columns.tsx';
import type { TableColumn } from '../../ui/data-table.tsx';
import { Dot } from '../../ui/dot.tsx';
import { IconKey, IconPower, IconRefresh } from '../../ui/icons.ts';
import { deletion, editing } from '../../ui/row-menu.tsx';
import { type ApiKey, KeyDialog } from './key-dialog.tsx';
import { useKeyActions } from './use-key-actions.ts';

/** The API keys of the site. */
export default function KeysPage() {
  const list = useWholeList(useQuery(keysQuery(useApi())));
  const actions = useKeyActions();
  return (
    <ListScreen
      {...{ list, columns }}
      words={{ ...texts.keys, lead }}
      icon={IconKey}
      menu={{
        nameOf: ({ name }) => name,
        actionsOf: (key, edit) => [
          editing(edit),
          { label: texts.keys.rotate, icon: IconRefresh, run: () => actions.rotate(key) },
          {
            label: key.active ? texts.common.switchOff : texts.common.switchOn,
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
  nameColumn(texts.keys.name.label, ({ name, key_prefix }) => ({
    first: name,
    second: <Code fz={12}>{key_prefix}…</Code>,
  })),
  { label: texts.keys.scopes, place: 'detail', cell: ({ scopes }) => <Scopes scopes={scopes} /> },
  momentColumn('last_used_at', texts.common.lastUsed, { place: 'detail' }),
  momentColumn('expiry', texts.keys.expires.label, { place: 'detail' }),
  stateColumn((key) => <KeyState apiKey={key} />),
];

const lead = (
  <>
    {texts.keys.lead}{' '}
    <Anchor href="/docs" target="_blank" fz="inherit" underline="always">
      {texts.keys.reference}
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
  if (!active) return <Dot tone="off" label={texts.common.off} />;
  if (expiry && expiry < new Date()) return <Dot tone="bad" label={texts.keys.expired} />;
  return <Dot tone="good" label={texts.common.on} />;
}
