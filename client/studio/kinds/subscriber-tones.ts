import type { subscriberStatuses } from '../../../shared/contract/kinds/subscriber.ts';

export const subscriberTones = {
  pending: 'waiting',
  active: 'good',
  unsubscribed: 'off',
  bounced: 'bad',
  complained: 'bad',
} as const satisfies Record<(typeof subscriberStatuses)[number], string>;
