import { Alert, List } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { DeliveryGap } from '../../../shared/contract/features/mailings.ts';
import { useApi } from '../data/api.tsx';
import { deliveryGapsQuery } from '../data/queries.ts';
import { strings } from '../strings/ui-strings.ts';

const labels = strings.newsletters.delivery;

/** Missing conditions for the delivery of newsletters; nothing if none is missing. */
export function DeliveryGaps({ only }: { only?: readonly DeliveryGap[] }) {
  const { data } = useQuery(deliveryGapsQuery(useApi()));
  const missing = data?.missing.filter((gap) => only?.includes(gap) ?? true) ?? [];
  if (missing.length === 0) return null;
  return (
    <Alert color="yellow" title={labels.title}>
      <List size="sm" spacing="xs">
        {missing.map((gap) => (
          <List.Item key={gap}>{labels.missing[gap]}</List.Item>
        ))}
      </List>
    </Alert>
  );
}

/** Conditions without which no newsletter is sent. */
export const nothingIsSent: readonly DeliveryGap[] = ['mail_server', 'mail_kept'];
