import { Button, Group, Popover, Text } from '@mantine/core';
import { IconPower, IconRefresh, IconSend } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useNavigate, useParams } from '@tanstack/react-router';
import { useState } from 'react';
import { useAccountStorage, useApi } from '../../data/api.tsx';
import { webhooksQuery } from '../../data/queries.ts';
import { createOnce } from '../../forms/idempotent-create.ts';
import { strings } from '../../strings/ui-strings.ts';
import { useConfirm } from '../../ui/confirm.tsx';
import { Dot } from '../../ui/dot.tsx';
import { NotFound, Pending } from '../../ui/pending.tsx';
import { deletion, editing, RowMenu } from '../../ui/row-menu.tsx';
import { BackLink, Screen } from '../../ui/screen.tsx';
import { useSecret } from '../../ui/secret-dialog.tsx';
import { useTimeFormat } from '../../ui/time.tsx';
import { toast } from '../../ui/toast.tsx';
import { useWrite } from '../../ui/use-write.ts';
import { Deliveries } from './deliveries.tsx';
import { ReplayDialog } from './replay-dialog.tsx';
import { WebhookDialog } from './webhook-dialog.tsx';
import { type Webhook, WebhookState } from './webhook-state.tsx';

/** Page with one subscription and its deliveries. */
export default function WebhookPage() {
  const { id } = useParams({ from: '/tools/webhooks/$id' });
  const webhooks = useQuery({ ...webhooksQuery(useApi()), refetchInterval: 10_000 });
  if (!webhooks.data) return <Pending query={webhooks} />;
  const webhook = webhooks.data.data.find((item) => item.id === id);
  return webhook ? <OneWebhook webhook={webhook} /> : <NotFound />;
}

function OneWebhook({ webhook }: { webhook: Webhook }) {
  const { admin } = useApi();
  const navigate = useNavigate();
  const [isEditing, setEditing] = useState(false);
  const [isReplaying, setReplaying] = useState(false);
  const confirm = useConfirm();
  const rotation = useRotation(webhook.id);
  const { id, url, active, consecutive_failures } = webhook;
  const name = url.replace('https://', '');
  const switching = useWrite({
    run: (next: boolean) => admin.webhooks.update.mutate({ id, active: next }),
    refreshes: ['webhooks'],
    done: (_, next) =>
      toast(next ? strings.webhooks.enabled : strings.webhooks.disabled, () => switching.mutate(!next)),
  });
  const remove = () =>
    confirm({
      title: strings.webhooks.deleteOne,
      lead: strings.webhooks.deleteLead,
      action: strings.common.delete,
      run: async () => {
        await admin.webhooks.delete.mutate({ id });
        await navigate({ to: '/tools/webhooks' });
      },
      refreshes: ['webhooks'],
      done: strings.records.deleted(name),
    });
  const actions = (
    <>
      {active ? (
        <TestButton id={id} />
      ) : (
        <Button
          leftSection={<IconPower size={16} />}
          loading={switching.isPending}
          onClick={() => switching.mutate(true)}
        >
          {strings.common.switchOn}
        </Button>
      )}
      <RowMenu
        of={name}
        actions={[
          editing(() => setEditing(true)),
          { label: strings.webhooks.replay, icon: IconSend, run: () => setReplaying(true) },
          { label: strings.webhooks.rotate, icon: IconRefresh, run: rotation.confirm },
          active && { label: strings.common.switchOff, icon: IconPower, run: () => switching.mutate(false) },
          deletion(remove),
        ]}
      />
    </>
  );
  return (
    <Screen
      title={name}
      lead={<WebhookState webhook={webhook} />}
      actions={actions}
      back={<BackLink to="/tools/webhooks">{strings.webhooks.title}</BackLink>}
    >
      {!active && consecutive_failures > 0 && (
        <Text fz="sm">{strings.webhooks.whyOff(consecutive_failures)}</Text>
      )}
      <Group gap={8}>
        {webhook.events.map((event) => (
          <Text key={event} ff="monospace" fz={12.5} c="dimmed">
            {event}
          </Text>
        ))}
      </Group>
      <Deliveries id={id} />
      {isEditing && <WebhookDialog edited={webhook} onClose={() => setEditing(false)} />}
      {isReplaying && <ReplayDialog id={id} onClose={() => setReplaying(false)} />}
      {rotation.dialog}
    </Screen>
  );
}

/** Button that sends a test event and shows the receiver's answer. */
function TestButton({ id }: { id: string }) {
  const { admin } = useApi();
  const test = useWrite({ run: () => admin.webhooks.test.mutate({ id }), refreshes: ['webhooks', id] });
  const result = test.data;
  return (
    <Popover
      opened={result !== undefined}
      onDismiss={test.reset}
      position="bottom-end"
      shadow="md"
      width={280}
    >
      <Popover.Target>
        <Button
          variant="default"
          leftSection={<IconSend size={16} />}
          loading={test.isPending}
          onClick={() => test.mutate()}
        >
          {strings.webhooks.test}
        </Button>
      </Popover.Target>
      <Popover.Dropdown>
        {result && (
          <div role="status">
            {result.error ? (
              <Dot tone="bad" label={strings.webhooks.reasons[result.error]} />
            ) : (
              <Dot tone="good" label={strings.webhooks.testArrived} />
            )}
            <Text fz="sm" c="dimmed" mt={4}>
              {strings.webhooks.answered(result.status_code, result.duration_ms)}
            </Text>
          </div>
        )}
      </Popover.Dropdown>
    </Popover>
  );
}

/** Returns a function that replaces a subscription's secret and shows the new one once. Render `dialog` and call `ask`. */
function useRotation(id: string) {
  const { admin } = useApi();
  const { storage } = useAccountStorage();
  const confirm = useConfirm();
  const { show, dialog } = useSecret();
  const { inFull } = useTimeFormat();
  const rotate = async () => {
    const { answer } = await createOnce(storage, `webhooks:${id}:rotate`).send({}, (_, options) =>
      admin.webhooks.rotateSecret.mutate({ id }, options),
    );
    const { secret, previous_secret_expires_at } = answer;
    const lead = strings.webhooks.overlap(inFull(previous_secret_expires_at));
    show({ title: strings.webhooks.rotated, lead, secret });
  };
  return {
    confirm: () =>
      confirm({
        title: strings.webhooks.rotateOne,
        lead: strings.webhooks.rotateLead,
        action: strings.webhooks.rotate,
        run: rotate,
      }),
    dialog,
  };
}
