import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useReducer, useRef } from 'react';
import { flushSync } from 'react-dom';
import type { ApiClient, OutputOf } from '../../../sdk/index.ts';
import { useApi } from '../../data/api.tsx';
import { curriculumQuery } from '../../data/queries.ts';
import { toastError } from '../../ui/toast.tsx';

interface Move {
  from: number;
  to: number;
}

/** Of the lessons of one module, or of the modules. */
interface Order {
  moduleId: string | null;
  ids: string[];
}

type Curriculum = OutputOf<ApiClient['studio']['curriculum']['get']>;

/**
 * Puts modules and lessons into another order: at once on the screen, and back as they were should the service refuse. Each
 * order is sent whole and after the one before it, so that the last one stays; what has been overtaken while it waited isn't
 * sent. The service is asked what came of it when none is left, since before that it tells of an older order: what is read
 * meanwhile, for whatever reason, is shown with the wanted orders on top.
 */
export function useReorder(courseId: string) {
  const api = useApi();
  const queries = useQueryClient();
  const { queryKey } = curriculumQuery(api, courseId);
  const mutationKey = ['order of', courseId];
  const wanted = useRef(new Map<string | null, Order>());
  /** What the service has, of lists whose moves are under way. */
  const taken = useRef(new Map<string | null, Order>());

  const [, draw] = useReducer((times: number) => times + 1, 0);

  const isWanted = (order: Order) => wanted.current.get(order.moduleId) === order;
  const onTop = (known: Curriculum) => [...wanted.current.values()].reduce(inOrder, known);
  const show = (order: Order) =>
    queries.setQueryData(queryKey, (current) => current && inOrder(current, order));
  const sending = useMutation({
    mutationKey,
    scope: { id: mutationKey.join(' ') },
    mutationFn: async (order: Order) => {
      if (!isWanted(order)) return;
      const { lessons, modules } = api.studio;
      await (order.moduleId ? lessons : modules).reorder.mutate({ ids: order.ids });
      taken.current.set(order.moduleId, order);
    },
    onError: (error, order) => {
      const before = taken.current.get(order.moduleId);
      if (isWanted(order)) {
        wanted.current.delete(order.moduleId);
        if (before) show(before);
      }
      toastError(error);
    },
    onSettled: () => {
      // The one that this is told of still counts.
      if (queries.isMutating({ mutationKey }) > 1) return;
      queries.setQueryData(queryKey, (current) => current && onTop(current));
      wanted.current.clear();
      taken.current.clear();
      void queries.invalidateQueries({ queryKey });
    },
  });
  const move = (moduleId: string | null, items: readonly { id: string }[], { from, to }: Move) => {
    const ids = items.map(({ id }) => id);
    if (!taken.current.has(moduleId)) taken.current.set(moduleId, { moduleId, ids });
    const order = { moduleId, ids: ids.toSpliced(from, 1).toSpliced(to, 0, ...ids.slice(from, from + 1)) };
    wanted.current.set(moduleId, order);
    // What is on its way tells of the order before.
    void queries.cancelQueries({ queryKey });
    show(order);
    // The cache tells of it a task later, and what was dropped would be seen where it came from meanwhile.
    flushSync(draw);
    sending.mutate(order);
  };
  const read = () => {
    const known = queries.getQueryData(queryKey);
    return known ? onTop(known).modules : [];
  };
  return {
    /** What was read, in the order that is wanted. */
    onTop,
    modules: (change: Move) => move(null, read(), change),
    lessons: (moduleId: string, change: Move) =>
      move(moduleId, read().find(({ id }) => id === moduleId)?.lessons ?? [], change),
  };
}

function inOrder(known: Curriculum, { moduleId, ids }: Order): Curriculum {
  if (moduleId === null) return { ...known, modules: sorted(known.modules, ids) };
  const modules = known.modules.map((module) =>
    module.id === moduleId ? { ...module, lessons: sorted(module.lessons, ids) } : module,
  );
  return { ...known, modules };
}

/** What the order knows nothing of has come since, and stands at the end. */
function sorted<T extends { id: string }>(items: readonly T[], ids: readonly string[]): T[] {
  const placeOf = ({ id }: T) => (ids.includes(id) ? ids.indexOf(id) : ids.length);
  return items.toSorted((one, other) => placeOf(one) - placeOf(other));
}
