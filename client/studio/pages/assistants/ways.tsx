import { Stack, Tabs } from '@mantine/core';
import { texts } from '../../texts/texts.ts';
import { Note } from '../../ui/notes.tsx';
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

const name = 'my-site';
const asJson = (value: unknown) => JSON.stringify(value, null, 2);
const { where, whereTo } = texts.assistants;

/** How the common clients are given the address alone; they sign in by themselves. */
export const waysByAddress = (url: string): readonly WayToConnect[] => [
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
  { client: texts.assistants.otherClient, where: whereTo.other },
];

/** The same with a key, for what can't. */
export function waysByKey(url: string, key: string): readonly WayToConnect[] {
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
