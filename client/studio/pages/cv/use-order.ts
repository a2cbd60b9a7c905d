import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { Resource } from '../../../../shared/contract/resource.ts';
import { useApi } from '../../data/api.tsx';
import { type OwnRecord, recordsOf } from '../../data/records.ts';
import { toastError } from '../../ui/toast.tsx';

interface Move {
  from: number;
  to: number;
}

interface Order {
  records: readonly OwnRecord[];
  ids: readonly string[];
  /** Whether another is being written, so that nobody knows what is stored. */
  isOnTop: boolean;
}

const placeOf = ({ sort_order }: OwnRecord) => Number(sort_order);

/** Puts the records of a section into another order: at once on the screen, and back as they were should the service refuse. */
export function useOrder(resource: Resource, queryKey: readonly string[]) {
  const api = useApi();
  const queries = useQueryClient();
  const [wanted, setWanted] = useState<readonly string[] | null>(null);
  const sending = useMutation({
    // One order after the other, so that the last one stays.
    scope: { id: queryKey.join(' ') },
    mutationFn: async ({ records, ids, isOnTop }: Order) => {
      for (const record of records) {
        const sort_order = ids.indexOf(record.id);
        if (isOnTop || sort_order !== placeOf(record))
          await recordsOf(api, resource).update.mutate({ id: record.id, sort_order });
      }
    },
    onError: toastError,
    onSettled: async (_, __, { ids }) => {
      // Also of an order that was written in part.
      await queries.invalidateQueries({ queryKey: ['records', resource.collection] });
      setWanted((known) => (known === ids ? null : known));
    },
  });
  const indexIn = (ids: readonly string[], { id }: OwnRecord) =>
    ids.includes(id) ? ids.indexOf(id) : ids.length;
  return {
    /** Those that nobody has moved yet stand as the site has them: the newest first. */
    of: (records: readonly OwnRecord[]): OwnRecord[] =>
      records.toSorted((a, b) =>
        wanted ? indexIn(wanted, a) - indexIn(wanted, b) : placeOf(a) - placeOf(b),
      ),
    move: (records: readonly OwnRecord[], { from, to }: Move) => {
      const before = records.map(({ id }) => id);
      const ids = before.toSpliced(from, 1).toSpliced(to, 0, ...before.slice(from, from + 1));
      setWanted(ids);
      sending.mutate({ records, ids, isOnTop: wanted !== null });
    },
  };
}
