import { useAccountStorage, useApi } from '../../data/api.tsx';
import { createOnce } from '../../forms/once.ts';
import { texts } from '../../texts/texts.ts';
import { useConfirm } from '../../ui/confirm.tsx';
import { useMoments } from '../../ui/moment.tsx';
import { useSecret } from '../../ui/secret.tsx';

/** Gives a subscription a new secret, which is shown once. Render `dialog`; call `ask`. */
export function useRotation(id: string) {
  const { admin } = useApi();
  const { storage } = useAccountStorage();
  const ask = useConfirm();
  const { show, dialog } = useSecret();
  const { inFull } = useMoments();
  const rotate = async () => {
    const { answer } = await createOnce(storage, `webhooks:${id}:rotate`).send({}, (_, options) =>
      admin.webhooks.rotateSecret.mutate({ id }, options),
    );
    const { secret, previous_secret_expires_at } = answer;
    const lead = texts.webhooks.overlap(inFull(previous_secret_expires_at));
    show({ title: texts.webhooks.rotated, lead, secret });
  };
  return {
    ask: () =>
      ask({
        title: texts.webhooks.rotateOne,
        lead: texts.webhooks.rotateLead,
        action: texts.webhooks.rotate,
        run: rotate,
      }),
    dialog,
  };
}
