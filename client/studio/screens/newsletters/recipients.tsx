import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import { keysOf } from '../../../../shared/contract/names-of.ts';
import type { ApiClient, OutputOf } from '../../../sdk/index.ts';
import { useApi } from '../../data/api.tsx';
import { Only, useStatus } from '../../records/list/list-tools.tsx';
import { PagedList } from '../../records/list/paged-list.tsx';
import { pagesOf, useListPage } from '../../records/list/use-list-page.ts';
import { texts } from '../../strings/texts.ts';
import { nameColumn, stateColumn } from '../../ui/columns.tsx';
import type { TableColumn } from '../../ui/data-table.tsx';
import { Dot } from '../../ui/dot.tsx';
import { Moment } from '../../ui/moment.tsx';
import { Note } from '../../ui/notes.tsx';
import { Section } from '../../ui/screen.tsx';
import type { Mailing } from './mailing.tsx';

type Recipient = OutputOf<ApiClient['studio']['mailings']['recipients']>['items'][number];

const words = texts.newsletters;

/** List of all recipients of a newsletter. If a mail server refused the email, its answer is shown. */
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

/** Refetches the list when a recipient's state has changed. */
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

type Copy = Omit<
  OutputOf<ApiClient['studio']['mailings']['received']>['items'][number],
  'mailing_id' | 'subject'
>;

const tones = {
  queued: 'off',
  sending: 'waiting',
  retrying: 'waiting',
  unknown: 'waiting',
  accepted: 'good',
  refused: 'bad',
  skipped: 'off',
  bounced: 'bad',
  complained: 'bad',
} as const satisfies Record<Copy['state'], string>;

/** Describes a refusal by a mail server: its codes and the reason. Empty if the server refused nothing. */
export function replyOf({ reply_code, reply_status }: Copy): string {
  const code = [reply_code, reply_status].filter(Boolean).join(' ');
  const known = reply_status ?? `${String(reply_code ?? '').slice(0, 1)}.`;
  const reason = keysOf(words.replies).find((begins) => known.startsWith(begins));
  return reason ? `${code} · ${words.replies[reason]}` : '';
}

/** Columns that all lists of recipients share. */
export const copyColumns: TableColumn<Copy>[] = [
  { label: words.body, place: 'detail', cell: ({ body }) => body && words.bodies[body] },
  {
    label: texts.common.when,
    place: 'when',
    cell: ({ ended_at, due_at }) =>
      ended_at ? <Moment at={ended_at} /> : due_at && <Moment at={due_at} said={words.next} />,
  },
  stateColumn(({ state }) => <Dot tone={tones[state]} label={words.states[state]} />),
];

const columns: TableColumn<Recipient>[] = [
  nameColumn(words.recipient, (recipient) => ({
    to: `/subscribers/${recipient.subscriber_id}`,
    first: recipient.email,
    second: replyOf(recipient),
  })),
  ...copyColumns,
];
