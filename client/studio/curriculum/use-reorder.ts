import { useQueryClient } from '@tanstack/react-query';
import { useApi } from '../data/api.tsx';
import { curriculumQuery } from '../data/queries.ts';
import { sayFailed } from '../ui/toast.tsx';

interface Move {
  from: number;
  to: number;
}

/** Puts modules and lessons into another order: at once on the screen, and back as they were should the service refuse. */
export function useReorder(courseId: string) {
  const api = useApi();
  const queries = useQueryClient();
  const { queryKey } = curriculumQuery(api, courseId);
  const read = () => queries.getQueryData(queryKey);
  const apply = (next: ReturnType<typeof read>, send: () => Promise<unknown>) => {
    // What is on its way tells of the order before.
    void queries.cancelQueries({ queryKey });
    const before = read();
    queries.setQueryData(queryKey, next);
    void send()
      .catch((error: unknown) => {
        queries.setQueryData(queryKey, before);
        sayFailed(error);
      })
      .finally(() => queries.invalidateQueries({ queryKey }));
  };
  return {
    modules(move: Move) {
      const known = read();
      if (!known) return;
      const modules = moved(known.modules, move);
      apply({ ...known, modules }, () =>
        api.studio.modules.reorder.mutate({ ids: modules.map(({ id }) => id) }),
      );
    },
    lessons(moduleId: string, move: Move) {
      const known = read();
      const module = known?.modules.find(({ id }) => id === moduleId);
      if (!known || !module) return;
      const lessons = moved(module.lessons, move);
      const modules = known.modules.map((other) => (other === module ? { ...module, lessons } : other));
      apply({ ...known, modules }, () =>
        api.studio.lessons.reorder.mutate({ ids: lessons.map(({ id }) => id) }),
      );
    },
  };
}

function moved<T>(items: readonly T[], { from, to }: Move): T[] {
  const next = [...items];
  next.splice(to, 0, ...next.splice(from, 1));
  return next;
}
