import { Button, Code } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { useApi } from '../../data/api.tsx';
import { webhooksQuery } from '../../data/queries.ts';
import { texts } from '../../texts/texts.ts';
import { createdColumn } from '../../ui/created-column.tsx';
import { type Column, DataTable, TwoLines } from '../../ui/data-table.tsx';
import { Empty } from '../../ui/empty.tsx';
import { Failed } from '../../ui/failed.tsx';
import { IconPlus, IconWebhook } from '../../ui/icons.ts';
import { ListSkeleton } from '../../ui/list-skeleton.tsx';
import { Screen } from '../../ui/screen.tsx';
import { SecretDialog } from '../../ui/secret.tsx';
import { WebhookDialog } from './webhook-dialog.tsx';
import { type Webhook, WebhookState } from './webhook-state.tsx';

/** Who is told of what happens on the site. */
export function WebhooksPage() {
  const webhooks = useQuery(webhooksQuery(useApi()));
  const [isCreating, setCreating] = useState(false);
  const [secret, setSecret] = useState<string | null>(null);
  const create = (
    <Button leftSection={<IconPlus size={16} />} onClick={() => setCreating(true)}>
      {texts.webhooks.create}
    </Button>
  );
  return (
    <Screen title={texts.webhooks.title} lead={texts.webhooks.lead} actions={create}>
      {webhooks.isPending && <ListSkeleton />}
      {webhooks.error && <Failed error={webhooks.error} onRetry={webhooks.refetch} />}
      {webhooks.data?.data.length === 0 && (
        <Empty
          icon={IconWebhook}
          title={texts.webhooks.none}
          lead={texts.webhooks.noneLead}
          action={create}
        />
      )}
      {webhooks.data && webhooks.data.data.length > 0 && (
        <DataTable label={texts.webhooks.title} rows={webhooks.data.data} columns={columns} />
      )}
      {isCreating && <WebhookDialog edited={null} onClose={() => setCreating(false)} onCreated={setSecret} />}
      <SecretDialog
        shown={secret ? { title: texts.webhooks.created, lead: texts.webhooks.secretLead, secret } : null}
        onClose={() => setSecret(null)}
      />
    </Screen>
  );
}

const columns: Column<Webhook>[] = [
  {
    label: texts.webhooks.address,
    cell: ({ id, url, events }) => (
      <TwoLines
        first={
          <Link to="/tools/webhooks/$id" params={{ id }} style={{ color: 'inherit' }}>
            {url.replace('https://', '')}
          </Link>
        }
        second={<Code fz={12}>{events.join(' · ')}</Code>}
      />
    ),
  },
  createdColumn(texts.webhooks.since, { isDetail: true }),
  { label: texts.records.state, align: 'end', cell: (webhook) => <WebhookState webhook={webhook} /> },
];
