import type { ReactNode } from 'react';
import type { TableColumn } from '../../ui/data-table.tsx';
import { Empty } from '../../ui/empty.tsx';
import type { Icon } from '../../ui/icons.ts';
import { Screen } from '../../ui/screen.tsx';
import { ListTools, Only, type OnlyProps } from './list-tools.tsx';
import { PagedList } from './paged-list.tsx';
import type { ListPage } from './use-list-page.ts';

interface ListScreenProps<Row> {
  /** `search` is left out where no words are looked for. */
  words: { title: string; lead: ReactNode; none: string; noneLead: string; search?: string };
  icon: Icon;
  list: ListPage<Row>;
  columns: readonly TableColumn<Row>[];
  /** What it can be narrowed to, besides words. */
  only?: readonly OnlyProps[];
  /** How one is added: beside the title, and where there is none. */
  add?: ReactNode;
  /** Beside the title, before that. */
  actions?: ReactNode;
  /** How to begin, where that is not by adding one. */
  begin?: ReactNode;
  /** Its dialogs. */
  children?: ReactNode;
}

/** A screen that is one list of the service. */
export function ListScreen<Row extends { id: string }>(props: ListScreenProps<Row>) {
  const { words, icon, list, columns, only = [], add, actions, begin = add, children } = props;
  const { title, lead, search } = words;
  const empty = <Empty icon={icon} title={words.none} lead={words.noneLead} action={begin} />;
  const besideTitle = (actions || add) && (
    <>
      {actions}
      {add}
    </>
  );
  return (
    <Screen {...{ title, lead }} actions={besideTitle}>
      {(search || only.length > 0) && (
        <ListTools {...(search && { label: search })}>
          {only.map((choice) => (
            <Only key={choice.name} {...choice} />
          ))}
        </ListTools>
      )}
      <PagedList {...{ list, columns, empty }} label={title} />
      {children}
    </Screen>
  );
}
