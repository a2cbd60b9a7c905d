import { Checkbox, Stack, TextInput } from '@mantine/core';
import { type EventName, eventNames, events, eventsUnder } from '../../../../shared/contract/events.ts';
import { CreateWebhook, UpdateWebhook } from '../../../../shared/contract/features/webhooks.ts';
import type { OutputOf } from '../../../sdk/index.ts';
import { useApi } from '../../data/api.tsx';
import { found } from '../../data/records.ts';
import { wayOf } from '../../forms/form-values.ts';
import { FormDialog } from '../../forms/form-view.tsx';
import { textOf, ticksOf } from '../../forms/input-props.ts';
import { useDialogForm } from '../../forms/use-form.ts';
import { strings } from '../../strings/ui-strings.ts';
import classes from './webhook-dialog.module.css';
import type { Webhook } from './webhook-state.tsx';

interface WebhookDialogProps {
  /** The subscription to change; null for a new one. */
  edited: Webhook | null;
  onClose(): void;
  /** Called with the signing secret, which is shown only once. */
  onCreated?(secret: string): void;
}

interface Values {
  url: string;
  events: EventName[];
}

const nothing: Values = { url: 'https://', events: [] };

export function WebhookDialog({ edited, onClose, onCreated }: WebhookDialogProps) {
  const { admin } = useApi();
  // Wildcards of a subscription made through the API have no checkboxes. They are kept until the selected events change.
  const wildcards =
    edited?.events.filter((pattern) => !eventsUnder(edited.events).some((name) => name === pattern)) ?? [];
  const { update, create, list } = admin.webhooks;
  const form = useDialogForm<Values, OutputOf<typeof create>>({
    initial: edited ? valuesOf(edited) : nothing,
    contract: edited ? UpdateWebhook.omit({ id: true }) : CreateWebhook,
    way: wayOf(edited, {
      name: 'webhooks',
      valuesOf,
      read: async (id) => found((await list.query()).data, id),
      create: (input, options) => create.mutate(CreateWebhook.parse(input), options),
      update: (input, options) => update.mutate(UpdateWebhook.parse(input), options),
    }),
    refreshes: ['webhooks'],
    onClose,
    done: (made) => {
      if (!made) return strings.common.changesSaved;
      onCreated?.(made.secret);
      return null;
    },
  });
  return (
    <FormDialog
      title={edited ? strings.webhooks.edit : strings.webhooks.add}
      action={edited ? strings.common.save : strings.webhooks.add}
      form={form}
      onClose={onClose}
    >
      <TextInput type="url" {...strings.webhooks.address} {...textOf(form, 'url')} data-autofocus />
      <Checkbox.Group
        label={strings.webhooks.events}
        description={wildcards.length > 0 && strings.webhooks.wildcards(wildcards.join(', '))}
        inputWrapperOrder={['label', 'description', 'error', 'input']}
        {...ticksOf(form, 'events', eventNames)}
        error={form.problems.events && strings.webhooks.eventsMissing}
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

const valuesOf = ({ url, events }: Webhook): Values => ({
  url,
  events: eventsUnder(events),
});
