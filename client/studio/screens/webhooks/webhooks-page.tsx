import { Code } from '@mantine/core';
import { IconWebhook } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useApi } from '../../data/api.tsx';
import { webhooksQuery } from '../../data/queries.ts';
import { ListScreen } from '../../records/list/list-screen.tsx';
import { useWholeList } from '../../records/list/use-list-page.ts';
import { strings } from '../../strings/ui-strings.ts';
import { nameColumn, stateColumn, type TableColumn, timeColumn } from '../../ui/data-table.tsx';
import { useSecret } from '../../ui/secret-dialog.tsx';
import { WebhookDialog } from './webhook-dialog.tsx';
import { type Webhook, WebhookState } from './webhook-state.tsx';

export default function WebhooksPage() {
  const list = useWholeList(useQuery(webhooksQuery(useApi())));
  const { show, dialog } = useSecret();
  const showNew = (secret: string) =>
    show({ title: strings.webhooks.created, lead: strings.webhooks.secretLead, secret });
  return (
    <ListScreen
      {...{ list, columns }}
      words={strings.webhooks}
      icon={IconWebhook}
      form={(_, close) => <WebhookDialog edited={null} onClose={close} onCreated={showNew} />}
    >
      {dialog}
    </ListScreen>
  );
}

const columns: TableColumn<Webhook>[] = [
  nameColumn(strings.webhooks.address.label, ({ id, url, events }) => ({
    to: `/tools/webhooks/${id}`,
    first: url.replace('https://', ''),
    second: <Code fz={12}>{events.join(' · ')}</Code>,
  })),
  timeColumn('created', strings.common.since),
  stateColumn((webhook) => <WebhookState webhook={webhook} />),
];
