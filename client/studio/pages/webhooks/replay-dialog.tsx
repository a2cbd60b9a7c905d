import { Checkbox, Text } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { ReplayWebhook } from '../../../../shared/contract/features/webhooks.ts';
import type { OutputOf } from '../../../sdk/index.ts';
import { useApi } from '../../data/api.tsx';
import { FormDialog } from '../../forms/form-dialog.tsx';
import { MomentInput } from '../../forms/moment-input.tsx';
import { useForm } from '../../forms/use-form.ts';
import { texts } from '../../texts/texts.ts';
import { toast } from '../../ui/toast.tsx';

const [minuteMs, dayMs] = [60_000, 86_400_000];

/** To the minute, which is what the dialog shows. */
const aDayAgo = () => new Date(Math.floor((Date.now() - dayMs) / minuteMs) * minuteMs);

/** Sends the events of a period again. */
export function ReplayDialog({ id, onClose }: { id: string; onClose(): void }) {
  const { admin } = useApi();
  const queries = useQueryClient();
  const toInput = ({ since, delivered }: { since?: Date | null; delivered?: boolean }) => ({
    id,
    since: since ?? '',
    status: delivered ? 'all' : 'failed',
  });
  const form = useForm<{ since: Date | null; delivered: boolean }, OutputOf<typeof admin.webhooks.replay>>({
    initial: { since: aDayAgo(), delivered: false },
    contract: ReplayWebhook,
    toInput,
    way: {
      make: {
        name: `replay:${id}`,
        send: (input, options) => admin.webhooks.replay.mutate(ReplayWebhook.parse(input), options),
      },
    },
    onSent: (made) => {
      void queries.invalidateQueries({ queryKey: ['webhooks', id] });
      onClose();
      if (made) toast(texts.webhooks.replayed(made.count));
    },
  });
  const { values, problems, set } = form;
  return (
    <FormDialog
      title={texts.webhooks.replay}
      action={texts.webhooks.replayAction}
      form={form}
      onClose={onClose}
    >
      <Text fz="sm" c="dimmed">
        {texts.webhooks.replayLead}
      </Text>
      <MomentInput
        label={texts.webhooks.replaySince}
        value={values.since}
        error={problems.since}
        onChange={(since) => set('since', since)}
        data-autofocus
      />
      <Checkbox
        label={texts.webhooks.replayDelivered}
        checked={values.delivered}
        onChange={({ currentTarget }) => set('delivered', currentTarget.checked)}
      />
    </FormDialog>
  );
}
