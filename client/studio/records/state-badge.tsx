import { Box } from '@mantine/core';
import type { subscriberStatuses } from '../../../shared/contract/audience/subscriber.ts';
import { isDraft, scheduledFor } from '../data/record-shape.ts';
import type { Values } from '../data/records.ts';
import { capitalised } from '../strings/names.ts';
import { strings } from '../strings/ui-strings.ts';
import { Dot } from '../ui/dot.tsx';
import { useTimeFormat } from '../ui/time.tsx';

interface StateBadgeProps {
  record: Values;
  hasDrafts: boolean;
  /** Shows only the day of a scheduled time. */
  isBrief?: boolean;
}

export function StateBadge({ record, hasDrafts, isBrief = false }: StateBadgeProps) {
  const { visibility } = record;
  const time = hasDrafts && scheduledFor(record);
  if (time) return <Scheduled for={time} isBrief={isBrief} />;
  if (hasDrafts && isDraft(record)) return <Dot tone="waiting" label={strings.records.draft} />;
  if (typeof visibility === 'string' && visibility !== 'public') {
    return <Dot tone="off" label={capitalised(visibility)} />;
  }
  return <Dot tone="good" label={hasDrafts ? strings.records.published : strings.records.public} />;
}

/** Badge of a scheduled record. On a phone it omits the time, to leave room for the title. */
function Scheduled({ for: time, isBrief }: { for: Date; isBrief: boolean }) {
  const { inFull, onDay } = useTimeFormat();
  return (
    <span title={inFull(time)}>
      <Dot
        tone="waiting"
        label={
          <>
            <Box component="span" visibleFrom="sm">
              {strings.records.scheduledFor(isBrief ? onDay(time) : inFull(time))}
            </Box>
            <Box component="span" hiddenFrom="sm">
              {strings.lists.states.scheduled}
            </Box>
          </>
        }
      />
    </span>
  );
}

export const SubscriberBadge = ({ status }: { status: SubscriberStatus }) => (
  <Dot tone={subscriberTones[status]} label={strings.subscribers.statuses[status]} />
);

type SubscriberStatus = (typeof subscriberStatuses)[number];

const subscriberTones = {
  pending: 'waiting',
  active: 'good',
  unsubscribed: 'off',
  bounced: 'bad',
  complained: 'bad',
} as const satisfies Record<SubscriberStatus, string>;
