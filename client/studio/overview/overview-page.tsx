import { Alert, Anchor, SimpleGrid, Stack } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useApi } from '../data/api.tsx';
import { webhooksQuery } from '../data/queries.ts';
import { texts } from '../texts/texts.ts';
import { IconAlertTriangle } from '../ui/icons.ts';
import { Screen } from '../ui/screen.tsx';
import { Growth } from './growth.tsx';
import { Latest } from './latest.tsx';
import { Numbers } from './numbers.tsx';
import { Traffic } from './traffic.tsx';

/** What an owner wants to know first. */
export function OverviewPage() {
  return (
    <Screen title={texts.overview.title}>
      <FailingWebhooks />
      <Traffic />
      <SimpleGrid cols={{ base: 1, md: 2 }} spacing={32}>
        <Latest />
        <Stack gap={32}>
          <Growth />
          <Numbers />
        </Stack>
      </SimpleGrid>
    </Screen>
  );
}

function FailingWebhooks() {
  // They fail by themselves, whatever is done here.
  const { data } = useQuery({ ...webhooksQuery(useApi()), staleTime: 0, refetchInterval: 10_000 });
  const failing = (data?.data ?? []).filter(({ consecutive_failures }) => consecutive_failures > 0);
  if (failing.length === 0) return null;
  return (
    <Alert color="yellow" icon={<IconAlertTriangle size={18} />}>
      <Anchor component={Link} to="/tools/webhooks" c="inherit" fz="sm" underline="always">
        {texts.overview.failing(failing.length)}
      </Anchor>
    </Alert>
  );
}
