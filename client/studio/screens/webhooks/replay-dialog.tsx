import { Checkbox } from '@mantine/core';
import { ReplayWebhook } from '../../../../shared/contract/features/webhooks.ts';
import type { OutputOf } from '../../../sdk/index.ts';
import { useApi } from '../../data/api.tsx';
import { FormDialog } from '../../forms/form-view.tsx';
import { inputOf, tickOf } from '../../forms/input-props.ts';
import { TimeInput } from '../../forms/time-input.tsx';
import { useDialogForm } from '../../forms/use-form.ts';
import { strings } from '../../strings/ui-strings.ts';
import { Note } from '../../ui/note.tsx';

const [minuteMs, dayMs] = [60_000, 86_400_000];

/** Full minutes, which is the precision of the input. */
const aDayAgo = () => new Date(Math.floor((Date.now() - dayMs) / minuteMs) * minuteMs);

interface Values {
  since: Date | null;
  delivered: boolean;
}

/** Dialog that sends the events of a period again. */
export function ReplayDialog({ id, onClose }: { id: string; onClose(): void }) {
  const { admin } = useApi();
  const form = useDialogForm<Values, OutputOf<typeof admin.webhooks.replay>>({
    initial: { since: aDayAgo(), delivered: false },
    contract: ReplayWebhook,
    toInput: ({ since, delivered }) => ({ id, since: since ?? '', status: delivered ? 'all' : 'failed' }),
    way: {
      make: {
        name: `replay:${id}`,
        send: (input, options) => admin.webhooks.replay.mutate(ReplayWebhook.parse(input), options),
      },
    },
    refreshes: ['webhooks', id],
    onClose,
    done: (made) => made && strings.webhooks.replayed(made.count),
  });
  return (
    <FormDialog
      title={strings.webhooks.replay}
      action={strings.webhooks.replayAction}
      form={form}
      onClose={onClose}
    >
      <Note>{strings.webhooks.replayLead}</Note>
      <TimeInput label={strings.webhooks.replaySince} {...inputOf(form, 'since')} data-autofocus />
      <Checkbox label={strings.webhooks.replayDelivered} {...tickOf(form, 'delivered')} />
    </FormDialog>
  );
}
