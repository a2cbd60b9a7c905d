import { Button, Code } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { useApi } from '../../data/api.tsx';
import { webhooksQuery } from '../../data/queries.ts';
import { PagedList } from '../../kinds/list/paged-list.tsx';
import { useWholeList } from '../../kinds/list/use-list-page.ts';
import { texts } from '../../texts/texts.ts';
import { type TableColumn, TwoLines } from '../../ui/data-table.tsx';
import { Empty } from '../../ui/empty.tsx';
import { IconPlus, IconWebhook } from '../../ui/icons.ts';
import { momentColumn } from '../../ui/moment-column.tsx';
import { Screen } from '../../ui/screen.tsx';
import { SecretDialog } from '../../ui/secret.tsx';
import { WebhookDialog } from './webhook-dialog.tsx';
import { type Webhook, WebhookState } from './webhook-state.tsx';

/** Who is told of what happens on the site. */
export function WebhooksPage() {
  const list = useWholeList(useQuery(webhooksQuery(useApi())));
  const [isCreating, setCreating] = useState(false);
  const [secret, setSecret] = useState<string | null>(null);
  const create = (
    <Button leftSection={<IconPlus size={16} />} onClick={() => setCreating(true)}>
      {texts.webhooks.create}
    </Button>
  );
  return (
    <Screen title={texts.webhooks.title} lead={texts.webhooks.lead} actions={create}>
      <PagedList
        {...{ list, columns }}
        label={texts.webhooks.title}
        empty={
          <Empty
            icon={IconWebhook}
            title={texts.webhooks.none}
            lead={texts.webhooks.noneLead}
            action={create}
          />
        }
      />
      {isCreating && <WebhookDialog edited={null} onClose={() => setCreating(false)} onCreated={setSecret} />}
      <SecretDialog
        shown={secret ? { title: texts.webhooks.created, lead: texts.webhooks.secretLead, secret } : null}
        onClose={() => setSecret(null)}
      />
    </Screen>
  );
}

const columns: TableColumn<Webhook>[] = [
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
  momentColumn('created', texts.webhooks.since),
  { label: texts.records.state, place: 'state', cell: (webhook) => <WebhookState webhook={webhook} /> },
];
