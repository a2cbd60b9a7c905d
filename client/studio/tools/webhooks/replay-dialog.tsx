import { Checkbox, Text, TextInput } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { ReplayWebhook } from '../../../../shared/contract/webhooks.ts';
import { useApi } from '../../data/api.tsx';
import { useForm } from '../../fields/use-form.ts';
import { toLocalInput } from '../../texts/moments.ts';
import { texts } from '../../texts/texts.ts';
import { FormDialog } from '../../ui/form-dialog.tsx';
import { say } from '../../ui/toast.tsx';

const dayMs = 86_400_000;

/** Sends the events of a period again. */
export function ReplayDialog({ id, onClose }: { id: string; onClose(): void }) {
  const { admin } = useApi();
  const queries = useQueryClient();
  const toInput = ({ since, delivered }: { since: string; delivered: boolean }) => ({
    since: since && new Date(since),
    status: delivered ? ('all' as const) : ('failed' as const),
  });
  const form = useForm({
    initial: { since: toLocalInput(new Date(Date.now() - dayMs)), delivered: false },
    contract: ReplayWebhook.omit({ id: true }),
    toInput,
    send: (values) => admin.webhooks.replay.mutate({ id, ...toInput(values) }),
    onSent: ({ count }) => {
      void queries.invalidateQueries({ queryKey: ['webhooks', id] });
      onClose();
      say(texts.webhooks.replayed(count));
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
      <TextInput
        type="datetime-local"
        label={texts.webhooks.replaySince}
        value={values.since}
        error={problems.since}
        onChange={({ currentTarget }) => set('since', currentTarget.value)}
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
