import { queryOptions } from '@tanstack/react-query';
import type { ApiClient, OutputOf } from '../../../sdk/index.ts';
import { queryOf } from '../../data/queries.ts';
import { strings } from '../../strings/ui-strings.ts';
import { Dot } from '../../ui/dot.tsx';

export type Mailing = OutputOf<ApiClient['studio']['mailings']['get']>;

/** Returns the number of recipients that are queued, sending or retrying. Unconfirmed ones do not count. */
export const waitingIn = ({ queued, sending, retrying }: Mailing['counts']): number =>
  queued + sending + retrying;

/** Returns the interval between fetches of a mailing, in milliseconds; false for one that has ended. */
export function lookAgain({ status, send_at }: Pick<Mailing, 'status' | 'send_at'>): number | false {
  if (status === 'sent' || status === 'cancelled') return false;
  const isLater = status === 'scheduled' && send_at.getTime() > Date.now() + 60_000;
  return isLater ? 30_000 : 2_000;
}

export const mailingQuery = ({ studio }: ApiClient, id: string) =>
  queryOptions({
    ...queryOf(['mailings', id], studio.mailings.get, { id }),
    refetchInterval: ({ state }) => (state.data ? lookAgain(state.data) : false),
  });

/** True if the post counts as sent. A mailing that was canceled before any email can have arrived does not count. */
export const isMailed = ({ status, counts }: Pick<Mailing, 'status' | 'counts'>): boolean =>
  status !== 'cancelled' ||
  counts.sending + counts.unknown + counts.accepted + counts.bounced + counts.complained > 0;

const tones = {
  scheduled: 'waiting',
  preparing: 'waiting',
  sending: 'waiting',
  paused: 'bad',
  sent: 'good',
  cancelled: 'off',
} as const satisfies Record<Mailing['status'], string>;

export const MailingState = ({ status }: Pick<Mailing, 'status'>) => (
  <Dot tone={tones[status]} label={strings.newsletters.statuses[status]} />
);
