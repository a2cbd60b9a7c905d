import { texts } from '../../texts/texts.ts';
import { Dot } from '../../ui/dot.tsx';
import type { Mailing } from './mailing.ts';

const tones = {
  scheduled: 'waiting',
  preparing: 'waiting',
  sending: 'waiting',
  paused: 'bad',
  sent: 'good',
  cancelled: 'off',
} as const satisfies Record<Mailing['status'], string>;

/** How far a newsletter is. */
export const MailingState = ({ status }: Pick<Mailing, 'status'>) => (
  <Dot tone={tones[status]} label={texts.newsletters.statuses[status]} />
);
