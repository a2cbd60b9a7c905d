import { Stack, Tabs, Text } from '@mantine/core';
import { Copyable } from '../../ui/secret.tsx';

export interface WayToConnect {
  client: string;
  /** What somebody does there. */
  where: string;
  /** What they paste, where that is more than the address. */
  snippet?: string;
}

/** How each of the common clients is connected. */
export const Ways = ({ ways }: { ways: readonly WayToConnect[] }) => (
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
          <Text fz="sm" c="dimmed">
            {where}
          </Text>
          {snippet !== undefined && <Copyable text={snippet} />}
        </Stack>
      </Tabs.Panel>
    ))}
  </Tabs>
);
