import type { AnyRouter } from '@trpc/server';
import { proceduresOf } from '../../../kernel/procedures.ts';
import { assistantsRouter } from '../../../router/app-router.ts';

/** How assistants connect, and the tools that they get (Markdown). */
export const assistants = (router: AnyRouter, publicUrl: URL) => `## Assistants

Assistants that speak MCP find the same content as tools at \`${new URL('/mcp', publicUrl)}\` (Streamable HTTP). Given that
address alone, they have somebody who works on the site sign in and say what they may (OAuth 2.1). Others send an API
key, whose \`mcp:…\` scopes decide which tools they are offered. The owner can switch assistants off for the whole
site: 403 \`mcp_disabled\`.

\`\`\`json
{
  "mcpServers": {
    "site": {
      "type": "http",
      "url": "${new URL('/mcp', publicUrl)}",
      "headers": { "Authorization": "Bearer svc_live_…" }
    }
  }
}
\`\`\`

| Scopes | Tools |
|---|---|
${toolRows(router).join('\n')}
`;

/** A row for each resource that tools are about. */
function toolRows(router: AnyRouter): string[] {
  const procedures = [router, assistantsRouter].flatMap((one) => [...proceduresOf(one).values()]);
  const tools = procedures.flatMap(({ meta: { mcp }, type }) =>
    [mcp?.resource ?? []].flat().map((resource) => ({
      name: mcp?.name,
      resource,
      access: mcp?.access ?? (type === 'mutation' ? 'write' : 'read'),
    })),
  );
  return [...Map.groupBy(tools, ({ resource }) => resource)].map(([resource, about]) => {
    const scopes = [...new Set(about.map(({ access }) => `\`mcp:${resource}:${access}\``))];
    return `| ${scopes.join(', ')} | ${about.map(({ name }) => `\`${name}\``).join(', ')} |`;
  });
}
