import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { useApi } from '../../data/api.tsx';
import { type ConnectedAssistant, connectedKey, connectedQuery } from '../../data/queries.ts';
import { useMayWrite } from '../../data/rights.ts';
import { texts } from '../../texts/texts.ts';
import { momentColumn, nameColumn } from '../../ui/columns.tsx';
import { useConfirm } from '../../ui/confirm.tsx';
import { DataTable, type TableColumn } from '../../ui/data-table.tsx';
import { IconClipboardList } from '../../ui/icons.ts';
import { Pending } from '../../ui/pending.tsx';
import { deletion, editing, menuColumn } from '../../ui/row-menu.tsx';
import { Section } from '../../ui/screen.tsx';
import { GrantDialog } from './grant-dialog.tsx';

const words = texts.assistants;

/** Who was let in: everybody's for owners, their own for others. */
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
      editing(() => setChanged(assistant), words.change),
      seesActivity && {
        label: words.activity,
        icon: IconClipboardList,
        run: () => void navigate({ to: '/tools/activity', search: { who: assistant.id } }),
      },
      deletion(() => end(assistant), words.end),
    ],
  );
  return (
    <Section
      title={data.length > 0 ? words.connected : words.none}
      lead={data.length === 0 && words.noneLead}
    >
      {data.length > 0 && (
        <DataTable isList label={words.connected} rows={data} columns={[...columns, actions]} />
      )}
      {changed && <GrantDialog assistant={changed} onClose={() => setChanged(null)} />}
    </Section>
  );
}

const columns: TableColumn<ConnectedAssistant>[] = [
  nameColumn(words.name, ({ client: { name, host } }) => ({
    first: name,
    second: host !== null ? words.vouched(host) : words.unvouched,
  })),
  { label: words.by, place: 'state', cell: ({ person }) => person.name },
  momentColumn('created', texts.common.since, { place: 'detail' }),
  momentColumn('last_used', texts.common.lastUsed, { none: words.unused }),
  momentColumn('ends_at', words.ends, { place: 'detail', none: words.open }),
];

/** Asks before one is shut out. */
function useEnding() {
  const { studio } = useApi();
  const ask = useConfirm();
  return ({ id, client: { name } }: ConnectedAssistant) =>
    ask({
      title: words.endOne(name),
      lead: words.endLead,
      action: words.end,
      run: () => studio.assistants.revoke.mutate({ id }),
      refreshes: connectedKey,
      done: words.ended(name),
    });
}
