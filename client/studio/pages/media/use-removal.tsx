import { Skeleton } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useApi } from '../../data/api.tsx';
import type { MediaFile } from '../../data/media.ts';
import { queryOf } from '../../data/query-of.ts';
import { labelOf } from '../../texts/names.ts';
import { texts } from '../../texts/texts.ts';
import { useConfirm } from '../../ui/confirm.tsx';
import { Failed } from '../../ui/failed.tsx';

/** Deletes a file, after it has shown where it is used. */
export function useRemoval() {
  const { studio } = useApi();
  const queries = useQueryClient();
  const { ask, dialog } = useConfirm();
  return {
    dialog,
    ask: ({ id, name }: MediaFile) => {
      queries.removeQueries({ queryKey: usesKey(id) });
      ask({
        title: texts.media.remove(name),
        lead: <Uses id={id} />,
        action: texts.media.removeAction,
        run: () => studio.media.delete.mutate({ id }),
        refreshes: ['media'],
        done: texts.media.removed(name),
      });
    },
  };
}

const usesKey = (id: string) => ['media-uses', id];

function Uses({ id }: { id: string }) {
  const { studio } = useApi();
  const uses = useQuery({
    ...queryOf(usesKey(id), studio.media.uses, { id }),
    // Once for each time that somebody is asked: while the dialog closes, the file may be gone.
    staleTime: Infinity,
  });
  if (uses.error) return <Failed error={uses.error} onRetry={uses.refetch} />;
  if (!uses.data) return <Skeleton component="span" h={18} aria-label={texts.media.looking} />;
  if (uses.data.data.length === 0) return texts.media.unused;
  return (
    <>
      {texts.media.used}
      {uses.data.data.map((use) => (
        <span key={`${use.collection} ${use.id}`} style={{ display: 'block', marginBlockStart: 6 }}>
          {labelOf(use.collection)}: {use.title || texts.records.untitled}
        </span>
      ))}
    </>
  );
}
