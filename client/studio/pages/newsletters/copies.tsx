import { keysOf } from '../../../../shared/contract/names-of.ts';
import type { ApiClient, OutputOf } from '../../../sdk/index.ts';
import { texts } from '../../texts/texts.ts';
import { stateColumn } from '../../ui/columns.tsx';
import type { TableColumn } from '../../ui/data-table.tsx';
import { Dot } from '../../ui/dot.tsx';
import { Moment } from '../../ui/moment.tsx';

type Copy = Omit<
  OutputOf<ApiClient['studio']['mailings']['received']>['items'][number],
  'mailing_id' | 'subject'
>;

const words = texts.newsletters;

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

/** What a server said last, as it said it and in words where it did not take the copy. */
export function replyOf({ reply_code, reply_status }: Copy): string {
  const code = [reply_code, reply_status].filter(Boolean).join(' ');
  const known = reply_status ?? `${String(reply_code ?? '').slice(0, 1)}.`;
  const reason = keysOf(words.replies).find((begins) => known.startsWith(begins));
  return [code, reason && words.replies[reason]].filter(Boolean).join(' · ');
}

/** What every list of copies says of each. */
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
