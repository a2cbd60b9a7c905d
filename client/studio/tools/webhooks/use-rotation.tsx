import { useState } from 'react';
import { useApi } from '../../data/api.tsx';
import { inFull } from '../../texts/moments.ts';
import { texts } from '../../texts/texts.ts';
import { useConfirm } from '../../ui/confirm.tsx';
import { SecretDialog } from '../../ui/secret.tsx';

/** Gives a subscription a new secret, which is shown once. Render `dialogs`; call `ask`. */
export function useRotation(id: string) {
  const { admin } = useApi();
  const { ask, dialog } = useConfirm();
  const [shown, show] = useState<{ title: string; lead: string; secret: string } | null>(null);
  const rotate = async () => {
    const { secret, previous_secret_expires_at } = await admin.webhooks.rotateSecret.mutate({ id });
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
    dialogs: (
      <>
        {dialog}
        <SecretDialog shown={shown} onClose={() => show(null)} />
      </>
    ),
  };
}
