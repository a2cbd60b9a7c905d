import { Checkbox, Stack, TextInput } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { type EventName, eventNames, events, eventsUnder } from '../../../../shared/contract/events.ts';
import { CreateWebhook, UpdateWebhook } from '../../../../shared/contract/webhooks.ts';
import { useApi } from '../../data/api.tsx';
import { useForm } from '../../fields/use-form.ts';
import { isEqual } from '../../records/equal.ts';
import { texts } from '../../texts/texts.ts';
import { FormDialog } from '../../ui/form-dialog.tsx';
import { say } from '../../ui/toast.tsx';
import classes from './webhook-dialog.module.css';
import type { Webhook } from './webhook-state.tsx';

interface WebhookDialogProps {
  /** Null for a subscription to be made. */
  edited: Webhook | null;
  onClose(): void;
  /** Gets the secret of its signatures, which nobody can see again. */
  onCreated?(secret: string): void;
}

interface Values {
  url: string;
  events: EventName[];
}

/** Makes or changes a subscription. */
export function WebhookDialog({ edited, onClose, onCreated }: WebhookDialogProps) {
  const { admin } = useApi();
  const queries = useQueryClient();
  const listed = edited?.events ?? [];
  const before = eventsUnder(listed);
  const wildcards = listed.filter((pattern) => !before.some((name) => name === pattern));
  // Wildcards of a registration over the API can't be sent, but stay as long as the events are not named anew.
  const changesOf = (values: Values): Partial<Values> =>
    edited && isEqual(values.events, before) ? { url: values.url } : values;
  const form = useForm<Values, string | null>({
    initial: { url: edited?.url ?? 'https://', events: before },
    contract: edited ? UpdateWebhook.omit({ id: true }) : CreateWebhook,
    toInput: changesOf,
    send: async (values) => {
      if (!edited) return (await admin.webhooks.create.mutate(values)).secret;
      await admin.webhooks.update.mutate({ id: edited.id, ...changesOf(values) });
      return null;
    },
    onSent: (secret) => {
      void queries.invalidateQueries({ queryKey: ['webhooks'] });
      onClose();
      if (secret) onCreated?.(secret);
      else say(texts.common.changesSaved);
    },
  });
  const { values, problems, set } = form;
  return (
    <FormDialog
      title={edited ? texts.webhooks.edit : texts.webhooks.create}
      action={edited ? texts.common.save : texts.webhooks.create}
      form={form}
      onClose={onClose}
    >
      <TextInput
        type="url"
        label={texts.webhooks.address}
        description={texts.webhooks.addressHelp}
        value={values.url}
        error={problems.url}
        onChange={({ currentTarget }) => set('url', currentTarget.value)}
        data-autofocus
      />
      <Checkbox.Group
        label={texts.webhooks.events}
        description={wildcards.length > 0 && texts.webhooks.wildcards(wildcards.join(', '))}
        inputWrapperOrder={['label', 'description', 'error', 'input']}
        value={values.events}
        error={problems.events && texts.webhooks.eventsMissing}
        onChange={(names) =>
          set(
            'events',
            eventNames.filter((name) => names.includes(name)),
          )
        }
      >
        <Stack gap={10} mt={6}>
          {eventNames.map((name) => (
            <Checkbox
              key={name}
              value={name}
              size="sm"
              label={<span className={classes.name}>{name}</span>}
              description={events[name].description}
            />
          ))}
        </Stack>
      </Checkbox.Group>
    </FormDialog>
  );
}
