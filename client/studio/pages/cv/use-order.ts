import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import type { Resource } from '../../../../shared/contract/resource.ts';
import { useApi } from '../../data/api.tsx';
import { type OwnRecord, recordsOf } from '../../data/records.ts';
import { toastError } from '../../ui/toast.tsx';

const placeOf = ({ sort_order }: OwnRecord) => Number(sort_order);

/**
 * Puts the records of a section into another order: at once on the screen, and back as they were should the service refuse.
 * Each order is sent whole and after the one before it, so that the last one stays; what has been overtaken while it waited
 * isn't sent.
 */
export function useOrder(resource: Resource, queryKey: readonly string[]) {
  const api = useApi();
  const queries = useQueryClient();
  const [wanted, setWanted] = useState<readonly string[] | null>(null);
  const last = useRef<readonly string[]>(null);
  const sending = useMutation({
    scope: { id: queryKey.join(' ') },
    mutationFn: async (ids: string[]) => {
      if (last.current === ids) await recordsOf(api, resource).reorder.mutate({ ids });
    },
    onError: toastError,
    onSettled: async (_, __, ids) => {
      if (last.current !== ids) return;
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
    move: (records: readonly OwnRecord[], { from, to }: { from: number; to: number }) => {
      const before = records.map(({ id }) => id);
      const ids = before.toSpliced(from, 1).toSpliced(to, 0, ...before.slice(from, from + 1));
      last.current = ids;
      setWanted(ids);
      sending.mutate(ids);
    },
  };
}
