import { Button } from '@mantine/core';
import { IconTrash, IconTrashX } from '@tabler/icons-react';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { retentionDays } from '../../../../shared/contract/limits.ts';
import { type ContentCollection, contentCollections } from '../../../../shared/contract/resources/index.ts';
import type { ApiClient, OutputOf } from '../../../sdk/index.ts';
import { useApi } from '../../data/api.tsx';
import { useMayWrite } from '../../data/permissions.ts';
import { findResource, forgetLists, TrashAddress } from '../../data/records.ts';
import { ListTools, Only } from '../../records/list/list-tools.tsx';
import { PagedList } from '../../records/list/paged-list.tsx';
import {
  type ListPage,
  oneOf,
  pagesOf,
  useListAddress,
  useListPage,
} from '../../records/list/use-list-page.ts';
import { actorName, capitalised } from '../../strings/names.ts';
import { strings } from '../../strings/ui-strings.ts';
import { iconOf } from '../../ui/collection-icon.ts';
import { useConfirm } from '../../ui/confirm.tsx';
import { nameColumn, type TableColumn } from '../../ui/data-table.tsx';
import { Empty } from '../../ui/pending.tsx';
import { RowMenu } from '../../ui/row-menu.tsx';
import { Screen } from '../../ui/screen.tsx';
import { Time } from '../../ui/time.tsx';
import { toast, toastError } from '../../ui/toast.tsx';

type TrashedRecord = OutputOf<ApiClient['studio']['trash']['list']>['items'][number];

const days = retentionDays.trash;
const dayMs = 86_400_000;

/** Page with deleted records that can still be restored. */
export default function TrashPage() {
  const { studio } = useApi();
  const mayPurge = useMayWrite('publish');
  const { param } = useListAddress();
  const collection = oneOf(contentCollections, param('collection'));
  const list = useListPage(pagesOf('trash', studio.trash.list, { collection }));
  const emptying = useEmptying(collection, list);
  const columns = useColumns();
  const none = collection ? strings.trash.noneOf(collection) : strings.trash.none;
  const empty = <Empty icon={IconTrash} title={none} lead={strings.trash.noneLead(days)} />;
  return (
    <Screen
      title={strings.trash.title}
      lead={strings.trash.lead(days)}
      actions={mayPurge && list.data?.total ? emptying : null}
    >
      <ListTools>
        <Only
          name="collection"
          label={strings.lists.show}
          all={strings.trash.all}
          choices={contentCollections.map((value) => ({ value, label: capitalised(value) }))}
        />
      </ListTools>
      <PagedList {...{ list, columns, empty }} noMatch={empty} label={strings.trash.title} />
    </Screen>
  );
}

function useColumns() {
  const { restoring, purge } = useTrash();
  const [mayPurge, mayRestore] = [useMayWrite('publish'), useMayWrite('content')];
  const actions: TableColumn<TrashedRecord> = {
    label: strings.common.actions,
    column: 'actions',
    cell: (item) => (
      <div style={{ display: 'inline-flex', alignItems: 'center', gap: 4 }}>
        <Button
          variant="default"
          size="compact-sm"
          aria-label={strings.trash.restoreOne(item.title)}
          loading={restoring.isPending && restoring.variables.id === item.id}
          onClick={() => restoring.mutate(item)}
        >
          {strings.trash.restore}
        </Button>
        {mayPurge && (
          <RowMenu
            of={item.title}
            actions={[
              { label: strings.trash.purge, icon: IconTrashX, run: () => purge(item), isDangerous: true },
            ]}
          />
        )}
      </div>
    ),
  };
  return mayRestore ? [...about, actions] : about;
}

const about: TableColumn<TrashedRecord>[] = [
  nameColumn(strings.trash.what, ({ title, collection }) => {
    const CollectionIcon = iconOf(collection);
    const second = (
      <>
        <CollectionIcon size={13} stroke={1.7} aria-hidden style={{ verticalAlign: -2 }} />{' '}
        {capitalised(collection)}
      </>
    );
    return { first: title || strings.records.untitled, second };
  }),
  {
    label: strings.trash.deleted,
    column: 'detail',
    cell: ({ deleted, actor }) => <Time at={deleted} said={(time) => `${time} · ${actorName(actor)}`} />,
  },
  {
    label: strings.trash.leftTitle,
    column: 'when',
    cell: ({ deleted }) => strings.trash.left(daysLeft(deleted)),
  },
];

/** Returns the number of days until deletion, at least 1. Records past that time are no longer listed. */
const daysLeft = (deleted: Date) =>
  Math.max(1, Math.ceil((deleted.getTime() + days * dayMs - Date.now()) / dayMs));

function useTrash() {
  const { studio } = useApi();
  const queries = useQueryClient();
  const navigate = useNavigate();
  const confirm = useConfirm();
  const restoring = useMutation({
    mutationFn: (item: TrashedRecord) => studio.trash.restore.mutate(TrashAddress.parse(item)),
    onSuccess: (_, { collection, id, title }) => {
      const open = () => void navigate({ to: '/$collection/$id', params: { collection, id } });
      const isOpened = findResource(collection) !== undefined;
      toast(strings.trash.restored(title), isOpened ? { label: strings.common.open, run: open } : undefined);
    },
    onError: toastError,
    // Refetch the list even after a refusal, because the record may no longer be in the trash.
    onSettled: (_, __, { collection }) => forgetLists(queries, collection),
  });
  const purge = (item: TrashedRecord) =>
    confirm({
      title: strings.trash.purgeOne(item.title),
      lead: strings.trash.purgeLead,
      action: strings.trash.purge,
      run: () => studio.trash.purge.mutate(TrashAddress.parse(item)),
      refreshes: ['trash'],
      done: strings.trash.purged(item.title),
    });
  return { restoring, purge };
}

/** Returns a button that empties the trash, or one collection's part of it. */
function useEmptying(
  collection: ContentCollection | undefined,
  { data, isPlaceholderData }: ListPage<TrashedRecord>,
) {
  const { studio } = useApi();
  const total = data?.total ?? 0;
  const queries = useQueryClient();
  const confirm = useConfirm();
  const empty = () =>
    confirm({
      title: strings.trash.emptyAll(total, collection),
      lead: strings.trash.emptyLead,
      action: strings.trash.purge,
      run: async () => {
        let count = 0;
        try {
          // One call deletes a limited number of records.
          for (let removed = 1; removed > 0 && count < total; count += removed)
            removed = (await studio.trash.empty.mutate({ collection })).count;
        } finally {
          await queries.invalidateQueries({ queryKey: ['trash'] });
        }
        toast(strings.trash.emptied(count));
      },
    });
  return (
    <Button
      variant="default"
      leftSection={<IconTrashX size={16} />}
      disabled={isPlaceholderData}
      onClick={empty}
    >
      {strings.trash.empty}
    </Button>
  );
}
