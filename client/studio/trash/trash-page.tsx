import { Button, Select } from '@mantine/core';
import { keepPreviousData, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { retentionDays } from '../../../shared/contract/limits.ts';
import { contentCollections } from '../../../shared/contract/resources/index.ts';
import type { ApiClient, OutputOf } from '../../sdk/index.ts';
import { iconOf } from '../app/navigation.ts';
import type { SearchParams } from '../app/search-params.ts';
import { useApi } from '../data/api.tsx';
import { findResource } from '../data/records.ts';
import { forgetLists, purgeTrashed, restoreTrashed } from '../data/trash.ts';
import { briefly, inFull } from '../texts/moments.ts';
import { capitalised } from '../texts/names.ts';
import { texts } from '../texts/texts.ts';
import { actorName } from '../ui/actor-name.ts';
import { useConfirm } from '../ui/confirm.tsx';
import { type Column, DataTable, TwoLines } from '../ui/data-table.tsx';
import { Empty } from '../ui/empty.tsx';
import { Failed } from '../ui/failed.tsx';
import { IconTrash, IconTrashX } from '../ui/icons.ts';
import { ListSkeleton } from '../ui/list-skeleton.tsx';
import { Pager } from '../ui/pager.tsx';
import { RowMenu } from '../ui/row-menu.tsx';
import { Screen } from '../ui/screen.tsx';
import { say, sayFailed } from '../ui/toast.tsx';
import { useEmptying } from './use-emptying.tsx';

type Trashed = OutputOf<ApiClient['studio']['trash']['list']>['items'][number];

const days = retentionDays.trash;
const perPage = 50;
const dayMs = 86_400_000;

/** What was deleted, until it is gone for good. */
export function TrashPage() {
  const search: SearchParams = useSearch({ from: '/trash' });
  const navigate = useNavigate();
  const collection = contentCollections.find((name) => name === search.collection);
  const page = Math.max(1, Math.trunc(Number(search.page)) || 1);
  const { studio } = useApi();
  const trash = useQuery({
    queryKey: ['trash', collection ?? 'all', page],
    queryFn: ({ signal }) => studio.trash.list.query({ collection, page, per_page: perPage }, { signal }),
    placeholderData: keepPreviousData,
  });
  const go = (next: SearchParams) => void navigate({ to: '/trash', search: next, replace: true });
  const total = trash.data?.total ?? 0;
  const emptying = useEmptying(collection, trash);
  return (
    <Screen title={texts.trash.title} lead={texts.trash.lead(days)} actions={total > 0 && emptying.button}>
      {emptying.dialog}
      <Select
        size="xs"
        w={180}
        aria-label={texts.trash.show}
        data={[
          { value: '', label: texts.trash.all },
          ...contentCollections.map((value) => ({ value, label: capitalised(value) })),
        ]}
        value={collection ?? ''}
        allowDeselect={false}
        onChange={(value) => go({ collection: value ?? '' })}
      />
      {trash.error && <Failed error={trash.error} onRetry={trash.refetch} />}
      {trash.isPending && <ListSkeleton />}
      {trash.data?.total === 0 && (
        <Empty
          icon={IconTrash}
          title={collection ? texts.trash.noneOf(collection) : texts.trash.none}
          lead={texts.trash.noneLead(days)}
        />
      )}
      {trash.data && trash.data.items.length > 0 && <TrashTable items={trash.data.items} />}
      {trash.data && (
        <Pager
          {...{ page, perPage, total }}
          isStale={trash.isPlaceholderData}
          onPage={(next) => go({ ...search, page: String(next) })}
        />
      )}
    </Screen>
  );
}

function TrashTable({ items }: { items: readonly Trashed[] }) {
  const { restoring, purge, dialog } = useTrash();
  const columns: Column<Trashed>[] = [
    {
      label: texts.trash.what,
      cell: ({ title, collection }) => {
        const CollectionIcon = iconOf(collection);
        return (
          <TwoLines
            first={title || texts.records.untitled}
            second={
              <>
                <CollectionIcon size={13} stroke={1.7} aria-hidden style={{ verticalAlign: -2 }} />{' '}
                {capitalised(collection)}
              </>
            }
          />
        );
      },
    },
    {
      label: texts.trash.deleted,
      isDetail: true,
      cell: ({ deleted, actor }) => (
        <span title={inFull(deleted)}>
          {briefly(deleted)} · {actorName(actor)}
        </span>
      ),
    },
    {
      label: texts.trash.leftTitle,
      isDetail: true,
      cell: ({ deleted }) => texts.trash.left(daysLeft(deleted)),
    },
    {
      label: texts.common.actions,
      align: 'end',
      cell: (item) => (
        <div style={{ display: 'inline-flex', alignItems: 'center', gap: 4 }}>
          <Button
            variant="default"
            size="compact-sm"
            aria-label={texts.trash.restoreOne(item.title)}
            loading={restoring.isPending && restoring.variables.id === item.id}
            onClick={() => restoring.mutate(item)}
          >
            {texts.trash.restore}
          </Button>
          <RowMenu
            of={item.title}
            actions={[
              { label: texts.trash.purge, icon: IconTrashX, run: () => purge(item), isDangerous: true },
            ]}
          />
        </div>
      ),
    },
  ];
  return (
    <>
      <DataTable label={texts.trash.title} rows={items} columns={columns} />
      {dialog}
    </>
  );
}

/** At least one: what has had its time is no longer in the list. */
const daysLeft = (deleted: Date) =>
  Math.max(1, Math.ceil((deleted.getTime() + days * dayMs - Date.now()) / dayMs));

function useTrash() {
  const api = useApi();
  const queries = useQueryClient();
  const navigate = useNavigate();
  const { ask, dialog } = useConfirm();
  const restoring = useMutation({
    mutationFn: (item: Trashed) => restoreTrashed(api, item),
    onSuccess: async (_, { collection, id, title }) => {
      await forgetLists(queries, collection);
      const open = () => void navigate({ to: '/$collection/$id', params: { collection, id } });
      const isOpened = findResource(collection) !== undefined;
      say(texts.trash.restored(title), isOpened ? { label: texts.common.open, run: open } : undefined);
    },
    onError: sayFailed,
  });
  const purge = (item: Trashed) =>
    ask({
      title: texts.trash.purgeOne(item.title),
      lead: texts.trash.purgeLead,
      action: texts.trash.purge,
      run: async () => {
        await purgeTrashed(api, item);
        await forgetLists(queries, item.collection);
        say(texts.trash.purged(item.title));
      },
    });
  return { restoring, purge, dialog };
}
