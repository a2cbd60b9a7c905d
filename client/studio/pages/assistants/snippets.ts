import { texts } from '../../texts/texts.ts';

interface Snippet {
  client: string;
  /** Where it goes. */
  where: string;
  write(address: string, key: string): string;
}

const name = 'my-site';
const asJson = (value: unknown) => JSON.stringify(value, null, 2);
const headers = (key: string) => ({ Authorization: `Bearer ${key}` });

/** What the common clients need to know, ready to paste. */
export const snippets: readonly Snippet[] = [
  {
    client: 'JSON',
    where: texts.assistants.where.json,
    write: (url, key) => asJson({ mcpServers: { [name]: { type: 'http', url, headers: headers(key) } } }),
  },
  {
    client: 'Claude Code',
    where: texts.assistants.where.commandLine,
    write: (url, key) =>
      `claude mcp add --transport http ${name} ${url} --header "Authorization: Bearer ${key}"`,
  },
  {
    client: 'VS Code',
    where: texts.assistants.where.file('.vscode/mcp.json'),
    write: (url, key) => asJson({ servers: { [name]: { type: 'http', url, headers: headers(key) } } }),
  },
  {
    client: 'Cursor',
    where: texts.assistants.where.file('.cursor/mcp.json'),
    write: (url, key) => asJson({ mcpServers: { [name]: { url, headers: headers(key) } } }),
  },
];
