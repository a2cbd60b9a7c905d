import { useMemo } from 'react';
import { z } from 'zod';
import type { Resource } from '../../../../shared/contract/resource.ts';
import { useAccountStorage, useSession, useSessions } from '../../data/api.tsx';
import type { OwnRecord } from '../../data/records.ts';
import type { ListSearch } from './list-search.ts';
import { useListAddress } from './use-list-address.ts';
import type { ListedPage } from './use-list-page.ts';

const KeptRecord = z.looseObject({
  id: z.string(),
  created: z.date(),
  updated: z.date(),
  revision: z.number(),
}) satisfies z.ZodType<OwnRecord>;
const KeptPage = z.object({ items: z.array(KeptRecord), total: z.number() });

/** Where a list begins, as this tab has seen it last: from far away the service's answer takes seconds. */
export function useKeptPage({ collection }: Resource, { sort, isNarrowed }: ListSearch) {
  const { tab } = useAccountStorage();
  const sessions = useSessions();
  const isIn = useSession().is === 'in';
  const { page } = useListAddress();
  const name = `list:${collection}:${sort}`;
  const kept = useMemo(() => tab.read(name, KeptPage) ?? undefined, [tab, name]);
  return {
    // Who has to sign in again sees nothing before they have.
    kept: !isIn || isNarrowed || page > 1 ? undefined : kept,
    /** Takes a page as it was answered; of any but the first nothing is kept. */
    keep: (answer: ListedPage<OwnRecord>, at: number) =>
      sessions.isCurrent() && !isNarrowed && at === 1 && tab.write(name, answer),
  };
}
