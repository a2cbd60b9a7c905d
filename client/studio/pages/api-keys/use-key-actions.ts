import { useQueryClient } from '@tanstack/react-query';
import { useAccountStorage, useApi } from '../../data/api.tsx';
import { createOnce } from '../../forms/once.ts';
import { texts } from '../../texts/texts.ts';
import { useConfirm } from '../../ui/confirm.tsx';
import { useMoments } from '../../ui/moment.tsx';
import { useSecret } from '../../ui/secret.tsx';
import { toast } from '../../ui/toast.tsx';
import { useWrite } from '../../ui/use-write.ts';
import type { ApiKey } from './key-dialog.tsx';

/** What can be done with a key that is there. */
export function useKeyActions() {
  const { admin } = useApi();
  const { storage } = useAccountStorage();
  const queries = useQueryClient();
  const ask = useConfirm();
  const { show, dialog } = useSecret();
  const { inFull } = useMoments();
  const refresh = () => queries.invalidateQueries({ queryKey: ['api-keys'] });
  const switching = useWrite({
    run: ({ id, active }: ApiKey) => admin.apiKeys.update.mutate({ id, active }),
    refreshes: ['api-keys'],
    done: (_, key) =>
      toast(texts.keys.switched(key.name, key.active), () =>
        switching.mutate({ ...key, active: !key.active }),
      ),
  });
  return {
    dialog,
    showNew: (secret: string) => show({ title: texts.keys.created, lead: texts.secret.lead, secret }),
    switchTo: (key: ApiKey, active: boolean) => switching.mutate({ ...key, active }),
    rotate: (key: ApiKey) =>
      ask({
        title: texts.keys.rotateOne(key.name),
        lead: texts.keys.rotateLead,
        action: texts.keys.rotate,
        run: async () => {
          const { answer } = await createOnce(storage, `api-keys:${key.id}:rotate`).send({}, (_, options) =>
            admin.apiKeys.rotate.mutate({ id: key.id }, options),
          );
          const { key: secret, previous_key_expires_at } = answer;
          await refresh();
          show({
            title: texts.keys.rotated,
            lead: texts.keys.overlap(inFull(previous_key_expires_at)),
            secret,
          });
        },
      }),
    remove: (key: ApiKey) =>
      ask({
        title: texts.records.deleteOne(key.name),
        lead: texts.keys.deleteLead,
        action: texts.common.delete,
        run: () => admin.apiKeys.delete.mutate({ id: key.id }),
        refreshes: ['api-keys'],
        done: texts.records.deleted(key.name),
      }),
  };
}
