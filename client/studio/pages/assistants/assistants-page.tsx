import { Alert, Button, Checkbox, Group, Paper, Stack, Switch, Tabs, Text, Title } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { CreateApiKey } from '../../../../shared/contract/api-keys.ts';
import type { Scope } from '../../../../shared/contract/scopes.ts';
import { useAccountStorage, useApi } from '../../data/api.tsx';
import { settingsQuery } from '../../data/queries.ts';
import { isEqual } from '../../forms/equal.ts';
import { createOnce } from '../../forms/once.ts';
import { texts } from '../../texts/texts.ts';
import { Failed } from '../../ui/failed.tsx';
import { ListSkeleton } from '../../ui/list-skeleton.tsx';
import { Screen } from '../../ui/screen.tsx';
import { Copyable } from '../../ui/secret.tsx';
import { toast, toastError } from '../../ui/toast.tsx';
import { snippets } from './snippets.ts';

/** Whether assistants may connect, and how one does. */
export function AssistantsPage() {
  const api = useApi();
  const site = useQuery(settingsQuery(api));
  if (site.error && !site.data) return <Failed error={site.error} onRetry={site.refetch} />;
  return (
    <Screen narrow title={texts.assistants.title} lead={texts.assistants.lead}>
      {site.data ? <KillSwitch isOn={site.data.mcp_enabled} /> : <ListSkeleton />}
      <Connect />
    </Screen>
  );
}

function KillSwitch({ isOn }: { isOn: boolean }) {
  const api = useApi();
  const queries = useQueryClient();
  const { queryKey } = settingsQuery(api);
  const switching = useMutation({
    mutationFn: (mcp_enabled: boolean) => api.studio.site.update.mutate({ mcp_enabled }),
    onMutate: (mcp_enabled) => {
      queries.setQueryData(queryKey, (current) => current && { ...current, mcp_enabled });
    },
    onSuccess: (_, next) => toast(next ? texts.assistants.switchedOn : texts.assistants.switchedOff),
    onError: toastError,
    onSettled: () => queries.invalidateQueries({ queryKey }),
  });
  return (
    <Paper p="lg" withBorder>
      <Switch
        size="md"
        checked={isOn}
        onChange={({ currentTarget }) => switching.mutate(currentTarget.checked)}
        label={texts.assistants.allow}
        description={isOn ? texts.assistants.allowed : texts.assistants.refused}
      />
    </Paper>
  );
}

function Connect() {
  const { admin } = useApi();
  const queries = useQueryClient();
  const { storage } = useAccountStorage();
  const [once] = useState(() => createOnce(storage, 'api-keys:assistant'));
  const [mayWrite, setMayWrite] = useState(false);
  const making = useMutation({
    mutationFn: async () => {
      const scopes: Scope[] = mayWrite ? ['mcp:read', 'mcp:write'] : ['mcp:read'];
      const { answer, sent } = await once.send({ name: texts.assistants.keyName, scopes }, (input, options) =>
        admin.apiKeys.create.mutate(CreateApiKey.parse(input), options),
      );
      if (!isEqual(sent.scopes, scopes)) await admin.apiKeys.update.mutate({ id: answer.id, scopes });
      return answer;
    },
    onSuccess: () => queries.invalidateQueries({ queryKey: ['api-keys'] }),
    onError: toastError,
  });
  const key = making.data?.key ?? texts.assistants.keyPlace;
  const address = `${window.location.origin}/mcp`;
  return (
    <Stack gap="md">
      <Title order={2} fz={16}>
        {texts.assistants.connect}
      </Title>
      <Text fz="sm" c="dimmed">
        {texts.assistants.connectLead}
      </Text>
      <Group>
        <Button variant="default" loading={making.isPending} onClick={() => making.mutate()}>
          {texts.assistants.makeKey}
        </Button>
        <Checkbox
          size="sm"
          label={texts.assistants.mayWrite}
          checked={mayWrite}
          onChange={({ currentTarget }) => setMayWrite(currentTarget.checked)}
        />
      </Group>
      {making.data && (
        <Alert role="status" color="yellow">
          {texts.assistants.keyIn}
        </Alert>
      )}
      <Tabs defaultValue={snippets[0]?.client ?? null}>
        <Tabs.List>
          {snippets.map(({ client }) => (
            <Tabs.Tab key={client} value={client}>
              {client}
            </Tabs.Tab>
          ))}
        </Tabs.List>
        {snippets.map(({ client, where, write }) => (
          <Tabs.Panel key={client} value={client} pt="md">
            <Text fz="sm" c="dimmed" mb="xs">
              {where}
            </Text>
            <Copyable text={write(address, key)} />
          </Tabs.Panel>
        ))}
      </Tabs>
    </Stack>
  );
}
