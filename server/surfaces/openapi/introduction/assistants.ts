import type { AnyRouter } from '@trpc/server';
import { proceduresOf } from '../../../kernel/procedures.ts';
import { assistantsRouter } from '../../../router/app-router.ts';

/** How assistants connect, and the tools that they get (Markdown). */
export const assistants = (router: AnyRouter, publicUrl: URL) => `## Assistants

Assistants that support MCP can use the same content with tools at \`${new URL('/mcp', publicUrl)}\` (Streamable HTTP).
Assistants that support OAuth 2.1 need only that URL: a person with access to the site signs in and selects the scopes. Other
assistants send an API key, and its \`mcp:…\` scopes determine the available tools. The owner can disable assistants for the
whole site; requests then get 403 \`mcp_disabled\`.

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
