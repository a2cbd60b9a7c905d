import { Button, Group } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import type { ApiClient, OutputOf } from '../../../sdk/index.ts';
import { useApi } from '../../data/api.tsx';
import { queryOf } from '../../data/query-of.ts';
import { texts } from '../../texts/texts.ts';
import { nameColumn } from '../../ui/columns.tsx';
import { DataTable, type TableColumn } from '../../ui/data-table.tsx';
import { Moment } from '../../ui/moment.tsx';
import { Pending } from '../../ui/pending.tsx';
import { toastError } from '../../ui/toast.tsx';

type Session = OutputOf<ApiClient['studio']['sessions']['list']>['data'][number];

const queryKey = ['sessions'];

/** Where the owner is signed in, each with a way to end it. */
export function SignedInSessions() {
  const { studio } = useApi();
  const queries = useQueryClient();
  const list = useQuery(queryOf(queryKey, studio.sessions.list, undefined));
  if (!list.data) return <Pending query={list} />;
  const ending = (work: () => Promise<unknown>) => () =>
    work()
      .finally(() => queries.invalidateQueries({ queryKey }))
      .catch(toastError);
  const { data } = list.data;
  return (
    <>
      <DataTable
        isList
        label={texts.account.sessions}
        rows={data}
        columns={[...columns, endColumn((id) => ending(() => studio.sessions.end.mutate({ id }))())]}
      />
      {data.length > 1 && (
        <Group>
          <Button variant="default" onClick={ending(() => studio.sessions.endOthers.mutate())}>
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
    label: texts.account.lastUsed,
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
