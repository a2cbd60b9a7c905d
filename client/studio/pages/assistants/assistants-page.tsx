import { Paper, Stack, Switch, Title } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useApi } from '../../data/api.tsx';
import { settingsQuery, siteQuery } from '../../data/queries.ts';
import { useMayWrite } from '../../data/rights.ts';
import { texts } from '../../texts/texts.ts';
import { Failed } from '../../ui/failed.tsx';
import { Note } from '../../ui/note.tsx';
import { Pending } from '../../ui/pending.tsx';
import { Screen } from '../../ui/screen.tsx';
import { Copyable } from '../../ui/secret.tsx';
import { toast, toastError } from '../../ui/toast.tsx';
import { Connected } from './connected.tsx';
import { waysByAddress } from './snippets.ts';
import { Ways } from './ways.tsx';
import { WithKey } from './with-key.tsx';

/** Which assistants are connected, and how one is. Owners see everybody's, and the switch for all of them. */
export default function AssistantsPage() {
  const isOwner = useMayWrite('site');
  const site = useQuery(siteQuery(useApi()));
  const address = site.data && `${site.data.origin ?? window.location.origin}/mcp`;
  return (
    <Screen narrow title={texts.assistants.title} lead={texts.assistants.lead}>
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
  <Stack gap="md" component="section">
    <Title order={2} fz={16}>
      {texts.assistants.connect}
    </Title>
    <Note>{texts.assistants.connectLead}</Note>
    <Copyable text={address} />
    <Ways ways={waysByAddress(address)} />
  </Stack>
);

function KillSwitch() {
  const api = useApi();
  const queries = useQueryClient();
  const { queryKey, ...query } = settingsQuery(api);
  const site = useQuery({ queryKey, ...query });
  const switching = useMutation({
    mutationFn: (mcp_enabled: boolean) => api.studio.site.update.mutate({ mcp_enabled }),
    onMutate: (mcp_enabled) => {
      queries.setQueryData(queryKey, (current) => current && { ...current, mcp_enabled });
    },
    onSuccess: (_, next) => toast(next ? texts.assistants.switchedOn : texts.assistants.switchedOff),
    onError: toastError,
    onSettled: () => queries.invalidateQueries({ queryKey }),
  });
  if (!site.data) return <Pending query={site} />;
  const isOn = site.data.mcp_enabled;
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
