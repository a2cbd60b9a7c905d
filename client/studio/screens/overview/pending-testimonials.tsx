import { IconQuote } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { opens } from '../../../../shared/contract/roles.ts';
import { useApi } from '../../data/api.tsx';
import { useRole } from '../../data/permissions.ts';
import { queryOf } from '../../data/queries.ts';
import { strings } from '../../strings/ui-strings.ts';
import { WaitingRow } from './card.tsx';

/** Returns the number of testimonials that are not approved; 0 until it has loaded. */
export function useWaitingTestimonials() {
  const { studio } = useApi();
  const enabled = opens(useRole(), 'audience', false);
  const { data, isLoading } = useQuery({
    enabled,
    ...queryOf(['testimonials', 'waiting'], studio.testimonials.list, { approved: false, per_page: 1 }),
  });
  return { count: data?.total ?? 0, isLoading };
}

export function WaitingTestimonials({ count }: { count: number }) {
  if (count === 0) return null;
  return (
    <WaitingRow
      to="/testimonials"
      search={{ shown: 'no' }}
      icon={IconQuote}
      label={strings.overview.unheard(count)}
    />
  );
}
