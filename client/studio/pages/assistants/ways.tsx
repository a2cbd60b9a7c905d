import { Stack, Tabs } from '@mantine/core';
import { Note } from '../../ui/note.tsx';
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
          <Note>{where}</Note>
          {snippet !== undefined && <Copyable text={snippet} />}
        </Stack>
      </Tabs.Panel>
    ))}
  </Tabs>
);
