import { texts } from '../../texts/texts.ts';
import type { WayToConnect } from './ways.tsx';

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
