import { Alert, Button, Checkbox, Group, Paper, Stack, Switch, Tabs } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { CreateApiKey } from '../../../../shared/contract/features/api-keys.ts';
import type { Scope } from '../../../../shared/contract/scopes.ts';
import { useAccountStorage, useApi } from '../../data/api.tsx';
import { useMayWrite } from '../../data/permissions.ts';
import { settingsQuery, siteQuery } from '../../data/queries.ts';
import { isEqual } from '../../forms/edits.ts';
import { createOnce } from '../../forms/idempotent-create.ts';
import { strings } from '../../strings/ui-strings.ts';
import { Note } from '../../ui/note.tsx';
import { Failed, Pending } from '../../ui/pending.tsx';
import { Screen, Section } from '../../ui/screen.tsx';
import { Copyable } from '../../ui/secret-dialog.tsx';
import { toast } from '../../ui/toast.tsx';
import { useWrite } from '../../ui/use-write.ts';
import { Connected } from './connected-assistants.tsx';

/**
 * Page with connected assistants and instructions to connect one. Owners see those of all staff, and a switch for all
 * assistants.
 */
export default function AssistantsPage() {
  const isOwner = useMayWrite('site');
  const site = useQuery(siteQuery(useApi()));
  const address = site.data && `${site.data.origin ?? window.location.origin}/mcp`;
  return (
    <Screen narrow title={strings.assistants.title} lead={strings.assistants.lead}>
      <Stack gap={40}>
        {isOwner && <KillSwitch />}
        <Connected />
        {address ? (
          <>
            <ByAddress address={address} />
            {isOwner && <WithKey address={address} />}
          </>
        ) : (
          site.error && <Failed error={site.error} onRetry={site.refetch} />
        )}
      </Stack>
    </Screen>
  );
}

const ByAddress = ({ address }: { address: string }) => (
  <Section title={strings.assistants.connect} lead={strings.assistants.connectLead}>
    <Copyable text={address} />
    <Ways ways={waysByAddress(address)} />
  </Section>
);

function KillSwitch() {
  const api = useApi();
  const queries = useQueryClient();
  const { queryKey, ...query } = settingsQuery(api);
  const site = useQuery({ queryKey, ...query });
  const switching = useWrite({
    run: async (mcp_enabled: boolean) => {
      await api.studio.site.update.mutate({ mcp_enabled });
      // Show the written value even if the settings cannot be read again.
      queries.setQueryData(queryKey, (current) => current && { ...current, mcp_enabled });
    },
    refreshes: queryKey,
    done: (_, next) => toast(next ? strings.assistants.switchedOn : strings.assistants.switchedOff),
  });
  if (!site.data) return <Pending query={site} />;
  const isOn = switching.isPending ? switching.variables : site.data.mcp_enabled;
  return (
    <Paper p="lg" withBorder>
      <Switch
        size="md"
        checked={isOn}
        onChange={({ currentTarget }) => switching.mutate(currentTarget.checked)}
        label={strings.assistants.allow}
        description={isOn ? strings.assistants.allowed : strings.assistants.refused}
      />
    </Paper>
  );
}

/** Instructions for clients that cannot sign in: creates a key, and shows it in each client's format. */
function WithKey({ address }: { address: string }) {
  const { admin } = useApi();
  const { storage } = useAccountStorage();
  const [once] = useState(() => createOnce(storage, 'api-keys:assistant'));
  const [mayWrite, setMayWrite] = useState(false);
  const making = useWrite({
    run: async () => {
      const scopes: Scope[] = mayWrite ? ['mcp:read', 'mcp:write'] : ['mcp:read'];
      const { answer, sent } = await once.send(
        { name: strings.assistants.keyName, scopes },
        (input, options) => admin.apiKeys.create.mutate(CreateApiKey.parse(input), options),
      );
      if (!isEqual(sent.scopes, scopes)) await admin.apiKeys.update.mutate({ id: answer.id, scopes });
      return answer;
    },
    refreshes: ['api-keys'],
  });
  const key = making.data?.key ?? strings.assistants.keyPlace;
  return (
    <Section title={strings.assistants.withKey} lead={strings.assistants.withKeyLead}>
      <Group>
        <Button variant="default" loading={making.isPending} onClick={() => making.mutate()}>
          {strings.assistants.makeKey}
        </Button>
        <Checkbox
          size="sm"
          label={strings.assistants.mayWrite}
          checked={mayWrite}
          onChange={({ currentTarget }) => setMayWrite(currentTarget.checked)}
        />
      </Group>
      {making.data && (
        <Alert role="status" color="yellow">
          {strings.assistants.keyIn}
        </Alert>
      )}
      <Ways ways={waysByKey(address, key)} />
    </Section>
  );
}

interface WayToConnect {
  client: string;
  /** Steps that the user takes in the client. */
  where: string;
  /** Text to paste into the client; missing if it is only the address. */
  snippet?: string;
}

/** Instructions for common clients, one tab each. */
const Ways = ({ ways }: { ways: readonly WayToConnect[] }) => (
  <Tabs defaultValue={ways[0]?.client ?? null}>
    <Tabs.List>
      {ways.map(({ client }) => (
        <Tabs.Tab key={client} value={client}>
          {client}
        </Tabs.Tab>
      ))}
    </Tabs.List>
    {ways.map(({ client, where, snippet }) => (
      <Tabs.Panel key={client} value={client} pt="md">
        <Stack gap="xs">
          <Note>{where}</Note>
          {snippet !== undefined && <Copyable text={snippet} />}
        </Stack>
      </Tabs.Panel>
    ))}
  </Tabs>
);

const name = 'my-site';
const asJson = (value: unknown) => JSON.stringify(value, null, 2);
const { where, whereTo } = strings.assistants;

/** Instructions for clients that need only the address and then sign in. */
const waysByAddress = (url: string): readonly WayToConnect[] => [
  { client: 'Claude', where: whereTo.claude },
  { client: 'ChatGPT', where: whereTo.chatgpt },
  {
    client: 'Claude Code',
    where: whereTo.claudeCode,
    snippet: `claude mcp add --transport http ${name} ${url}`,
  },
  { client: 'VS Code', where: whereTo.vscode },
  { client: 'Cursor', where: whereTo.cursor, snippet: asJson({ mcpServers: { [name]: { url } } }) },
  {
    client: 'Codex',
    where: whereTo.codex,
    snippet: `codex mcp add ${name} --url ${url}\ncodex mcp login ${name}`,
  },
  { client: strings.assistants.otherClient, where: whereTo.other },
];

/** Instructions for clients that need a key. */
function waysByKey(url: string, key: string): readonly WayToConnect[] {
  const headers = { Authorization: `Bearer ${key}` };
  return [
    {
      client: 'JSON',
      where: where.json,
      snippet: asJson({ mcpServers: { [name]: { type: 'http', url, headers } } }),
    },
    {
      client: 'Claude Code',
      where: where.commandLine,
      snippet: `claude mcp add --transport http ${name} ${url} --header "Authorization: Bearer ${key}"`,
    },
    {
      client: 'VS Code',
      where: where.file('.vscode/mcp.json'),
      snippet: asJson({ servers: { [name]: { type: 'http', url, headers } } }),
    },
    {
      client: 'Cursor',
      where: where.file('.cursor/mcp.json'),
      snippet: asJson({ mcpServers: { [name]: { url, headers } } }),
    },
  ];
}
