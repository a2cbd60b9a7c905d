import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import type { ApiClient, OutputOf } from '../../../sdk/index.ts';
import { useApi } from '../../data/api.tsx';
import { Only, useStatus } from '../../kinds/list/list-tools.tsx';
import { PagedList } from '../../kinds/list/paged-list.tsx';
import { pagesOf, useListPage } from '../../kinds/list/use-list-page.ts';
import { texts } from '../../texts/texts.ts';
import { nameColumn } from '../../ui/columns.tsx';
import type { TableColumn } from '../../ui/data-table.tsx';
import { Note } from '../../ui/notes.tsx';
import { Section } from '../../ui/screen.tsx';
import { copyColumns, replyOf } from './copies.tsx';
import type { Mailing } from './mailing.tsx';

type Recipient = OutputOf<ApiClient['studio']['mailings']['recipients']>['items'][number];

const words = texts.newsletters;

/** Everybody whom a newsletter is for, and what the server of each said. */
export function Recipients({ mailing }: { mailing: Mailing }) {
  const { studio } = useApi();
  const [state, byState] = useStatus(words.states, 'state');
  const { id } = mailing;
  const list = useListPage(pagesOf('mailings', studio.mailings.recipients, { id, state }));
  useRefresh(mailing);
  return (
    <Section title={words.recipients} actions={<Only {...byState} />}>
      <PagedList
        list={list}
        label={words.recipients}
        columns={columns}
        empty={<Note>{words.noRecipients}</Note>}
        noMatch={<Note>{words.noneSo}</Note>}
      />
    </Section>
  );
}

/** They are asked for again whenever something has become of one. */
function useRefresh({ id, counts }: Mailing) {
  const queries = useQueryClient();
  const now = JSON.stringify(counts);
  const shown = useRef(now);
  useEffect(() => {
    if (shown.current === now) return;
    shown.current = now;
    void queries.invalidateQueries({ queryKey: ['mailings', 'list'] });
  }, [queries, id, now]);
}

const columns: TableColumn<Recipient>[] = [
  nameColumn(words.recipient, (recipient) => ({
    to: `/subscribers/${recipient.subscriber_id}`,
    first: recipient.email,
    second: replyOf(recipient),
  })),
  ...copyColumns,
];
