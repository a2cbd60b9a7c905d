import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import type { Resource } from '../../../../shared/contract/resource.ts';
import { etagOf } from '../../../sdk/index.ts';
import { useApi } from '../../data/api.tsx';
import { type OwnRecord, recordsOf } from '../../data/records.ts';
import { texts } from '../../texts/texts.ts';
import { useMoments } from '../../ui/moment.tsx';
import { toast, toastError } from '../../ui/toast.tsx';

interface Restored {
  revision: number;
  created: Date;
}

/** Gives a record back what it was, unless somebody has changed it since it was looked at; that can be taken back, too. */
export function useRestore(resource: Resource, present: OwnRecord) {
  const api = useApi();
  const queries = useQueryClient();
  const navigate = useNavigate();
  const { inFull } = useMoments();
  const { id } = present;
  const restore = async (revision: number, ifMatch?: string) => {
    const answer = await recordsOf(api, resource).restore.mutate({ id, revision }, { ifMatch });
    await queries.invalidateQueries({ queryKey: ['records', resource.collection] });
    return etagOf(answer);
  };
  return useMutation({
    mutationFn: ({ revision }: Restored) => restore(revision, etagOf(present)),
    onSuccess: (tag, { revision, created }) => {
      // The one that is looked at stays, though there is a newer one by now.
      void navigate({
        to: '/$collection/$id/history',
        params: { collection: resource.collection, id },
        search: { revision: String(revision) },
        replace: true,
        resetScroll: false,
      });
      toast(
        texts.history.restored(inFull(created)),
        () => void restore(present.revision, tag).catch(toastError),
      );
    },
    onError: async (error) => {
      toastError(error);
      await queries.invalidateQueries({ queryKey: ['records', resource.collection] });
    },
  });
}
