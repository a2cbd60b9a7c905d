import { type QueryKey, useMutation, useQueryClient } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import type { Move } from '../ui/sortable-list.tsx';
import { toastError } from '../ui/toast.tsx';

interface OrdersOptions {
  /** Key of the queries to refetch afterwards. */
  refreshes: QueryKey;
  /** Stores the order of a list. */
  send(list: string, ids: string[]): Promise<unknown>;
}

type Orders = Readonly<Record<string, readonly string[]>>;

/**
 * Returns functions to reorder the rows of lists.
 *
 * A move shows immediately. If the service refuses it, an error is shown and the stored order returns. Each request
 * contains the whole order of a list.
 *
 * Requests run one after the other, and an order that a newer one has replaced is not sent. Rows that are read in the
 * meantime are shown in the wanted order.
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
    /** Returns rows in the wanted order. Rows that it does not contain are new and come last. */
    of: <Row extends { id: string }>(list: string, rows: readonly Row[]): readonly Row[] => {
      const ids = wanted[list];
      if (!ids) return rows;
      const positionOf = ({ id }: Row) => (ids.includes(id) ? ids.indexOf(id) : ids.length);
      return rows.toSorted((one, other) => positionOf(one) - positionOf(other));
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
