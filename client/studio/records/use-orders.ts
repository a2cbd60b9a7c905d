import { type QueryKey, useMutation, useQueryClient } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import type { Move } from '../ui/sortable-list.tsx';
import { toastError } from '../ui/toast.tsx';

interface OrdersOptions {
  /** What shows the orders, and is asked for again. */
  refreshes: QueryKey;
  /** Tells the service the order of a list. */
  send(list: string, ids: string[]): Promise<unknown>;
}

type Orders = Readonly<Record<string, readonly string[]>>;

/**
 * Puts the rows of lists into other orders: at once on the screen, and back as they were should the service refuse. Each order
 * is sent whole and after the one before it, so that the last one stays; what has been overtaken while it waited isn't sent.
 * What is read meanwhile is shown in the order that is wanted.
 */
export function useOrders({ refreshes, send }: OrdersOptions) {
  const queries = useQueryClient();
  const [wanted, setWanted] = useState<Orders>({});
  const last = useRef<Orders>({});
  const sending = useMutation({
    scope: { id: refreshes.join(' ') },
    mutationFn: async ({ list, ids }: { list: string; ids: string[] }) => {
      if (last.current[list] === ids) await send(list, ids);
    },
    onError: toastError,
    onSettled: async (_, __, { list, ids }) => {
      if (last.current[list] !== ids) return;
      await queries.invalidateQueries({ queryKey: refreshes });
      setWanted(({ [list]: known, ...others }) =>
        known && known !== ids ? { ...others, [list]: known } : others,
      );
    },
  });
  return {
    /** Rows as they are wanted; what the order knows nothing of has come since, and stands at the end. */
    of: <Row extends { id: string }>(list: string, rows: readonly Row[]): readonly Row[] => {
      const ids = wanted[list];
      if (!ids) return rows;
      const placeOf = ({ id }: Row) => (ids.includes(id) ? ids.indexOf(id) : ids.length);
      return rows.toSorted((one, other) => placeOf(one) - placeOf(other));
    },
    move: (list: string, rows: readonly { id: string }[], { from, to }: Move) => {
      const before = rows.map(({ id }) => id);
      const ids = before.toSpliced(from, 1).toSpliced(to, 0, ...before.slice(from, from + 1));
      last.current = { ...last.current, [list]: ids };
      setWanted((known) => ({ ...known, [list]: ids }));
      sending.mutate({ list, ids });
    },
  };
}
