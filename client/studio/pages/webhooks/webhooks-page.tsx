import { Code } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useApi } from '../../data/api.tsx';
import { webhooksQuery } from '../../data/queries.ts';
import { ListScreen } from '../../kinds/list/list-screen.tsx';
import { useWholeList } from '../../kinds/list/use-list-page.ts';
import { texts } from '../../texts/texts.ts';
import { AddButton } from '../../ui/add-button.tsx';
import { momentColumn, nameColumn, stateColumn } from '../../ui/columns.tsx';
import type { TableColumn } from '../../ui/data-table.tsx';
import { IconWebhook } from '../../ui/icons.ts';
import { SecretDialog } from '../../ui/secret.tsx';
import { WebhookDialog } from './webhook-dialog.tsx';
import { type Webhook, WebhookState } from './webhook-state.tsx';

/** Who is told of what happens on the site. */
export default function WebhooksPage() {
  const list = useWholeList(useQuery(webhooksQuery(useApi())));
  const [isCreating, setCreating] = useState(false);
  const [secret, setSecret] = useState<string | null>(null);
  return (
    <ListScreen
      {...{ list, columns }}
      words={texts.webhooks}
      icon={IconWebhook}
      add={<AddButton label={texts.webhooks.create} onClick={() => setCreating(true)} />}
    >
      {isCreating && <WebhookDialog edited={null} onClose={() => setCreating(false)} onCreated={setSecret} />}
      <SecretDialog
        shown={secret ? { title: texts.webhooks.created, lead: texts.webhooks.secretLead, secret } : null}
        onClose={() => setSecret(null)}
      />
    </ListScreen>
  );
}

const columns: TableColumn<Webhook>[] = [
  nameColumn(texts.webhooks.address.label, ({ id, url, events }) => ({
    to: `/tools/webhooks/${id}`,
    first: url.replace('https://', ''),
    second: <Code fz={12}>{events.join(' · ')}</Code>,
  })),
  momentColumn('created', texts.webhooks.since),
  stateColumn((webhook) => <WebhookState webhook={webhook} />),
];
