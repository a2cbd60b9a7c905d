import { Button, Group } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ApiClient, OutputOf } from '../../../sdk/index.ts';
import { useApi } from '../../data/api.tsx';
import { queryOf } from '../../data/queries.ts';
import { texts } from '../../texts/texts.ts';
import { nameColumn } from '../../ui/columns.tsx';
import { DataTable, type TableColumn } from '../../ui/data-table.tsx';
import { Moment } from '../../ui/moment.tsx';
import { Pending } from '../../ui/pending.tsx';
import { useWrite } from '../../ui/use-write.ts';

type Session = OutputOf<ApiClient['studio']['sessions']['list']>['data'][number];

const queryKey = ['sessions'];

/** Where the owner is signed in, each with a way to end it. */
export function SignedInSessions() {
  const { studio } = useApi();
  const list = useQuery(queryOf(queryKey, studio.sessions.list, undefined));
  const end = useWrite({ run: (id: string) => studio.sessions.end.mutate({ id }), refreshes: queryKey });
  const endOthers = useWrite({ run: () => studio.sessions.endOthers.mutate(), refreshes: queryKey });
  if (!list.data) return <Pending query={list} />;
  const { data } = list.data;
  return (
    <>
      <DataTable
        isList
        label={texts.account.sessions}
        rows={data}
        columns={[...columns, endColumn(end.mutate)]}
      />
      {data.length > 1 && (
        <Group>
          <Button variant="default" onClick={() => endOthers.mutate()}>
            {texts.account.endOthers}
          </Button>
        </Group>
      )}
    </>
  );
}

const columns: TableColumn<Session>[] = [
  nameColumn(texts.account.browser, ({ browser, address, is_current }) => ({
    first: browser ?? texts.account.noBrowser,
    second: is_current ? texts.account.thisOne : address,
  })),
  {
    label: texts.common.lastUsed,
    place: 'when',
    cell: ({ created, last_used_at: used }) => <Moment at={used ?? created} />,
  },
];

const endColumn = (end: (id: string) => void): TableColumn<Session> => ({
  label: texts.account.end,
  place: 'actions',
  cell: ({ id, is_current, browser }) =>
    is_current ? null : (
      <Button
        size="compact-sm"
        variant="default"
        aria-label={texts.account.endOf(browser ?? texts.account.noBrowser)}
        onClick={() => end(id)}
      >
        {texts.account.end}
      </Button>
    ),
});
