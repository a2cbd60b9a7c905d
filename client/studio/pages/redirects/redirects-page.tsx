import { useApi } from '../../data/api.tsx';
import { ListScreen } from '../../kinds/list/list-screen.tsx';
import { useListAddress } from '../../kinds/list/use-list-address.ts';
import { pagesOf, useListPage } from '../../kinds/list/use-list-page.ts';
import { texts } from '../../texts/texts.ts';
import { momentColumn, nameColumn } from '../../ui/columns.tsx';
import { useConfirm } from '../../ui/confirm.tsx';
import type { TableColumn } from '../../ui/data-table.tsx';
import { IconDirections } from '../../ui/icons.ts';
import { deletion, editing } from '../../ui/row-menu.tsx';
import { RedirectDialog, type RedirectRow } from './redirect-dialog.tsx';

/** Old addresses of the site, and where they lead. */
export default function RedirectsPage() {
  const { studio } = useApi();
  const { param } = useListAddress();
  const remove = useRemoval();
  return (
    <ListScreen
      words={texts.redirects}
      icon={IconDirections}
      list={useListPage(pagesOf('redirects', studio.redirects.list, { q: param('q') }))}
      columns={columns}
      menu={{
        nameOf: ({ from }) => shown(from),
        actionsOf: (redirect, edit) => [editing(edit), deletion(() => remove(redirect))],
      }}
      form={(edited, onClose) => <RedirectDialog {...{ edited, onClose }} />}
    />
  );
}

/** An address as a person reads it. */
function shown(address: string): string {
  try {
    return decodeURI(address);
  } catch {
    return address;
  }
}

const columns: TableColumn<RedirectRow>[] = [
  nameColumn(texts.redirects.from.label, ({ from, to }) => ({
    first: shown(from),
    second: to === '' ? texts.redirects.nowhere : `→ ${shown(to)}`,
  })),
  {
    label: texts.redirects.permanent,
    place: 'state',
    cell: ({ permanent }) => texts.redirects.kinds[permanent ? 'permanent' : 'temporary'],
  },
  momentColumn('created', texts.lists.created),
];

function useRemoval() {
  const { studio } = useApi();
  const ask = useConfirm();
  return ({ id, from }: RedirectRow) =>
    ask({
      title: texts.redirects.remove(shown(from)),
      lead: texts.redirects.removeLead,
      action: texts.common.delete,
      run: () => studio.redirects.delete.mutate({ id }),
      refreshes: ['redirects'],
      done: texts.redirects.removed(shown(from)),
    });
}
