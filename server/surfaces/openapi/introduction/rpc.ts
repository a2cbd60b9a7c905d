import type { AnyRouter } from '@trpc/server';
import { maxBatchCalls } from '../../../../shared/contract/limits.ts';
import { proceduresOf } from '../../../kernel/procedures.ts';

/** What can be called over RPC only (Markdown). */
export const rpc = (router: AnyRouter) => `## RPC

TypeScript programs can call all procedures by name and with types, using the package \`creator-content-client\`. It is
built from a checkout of the service (\`client/sdk/README.md\`) and is not published in a registry. It uses tRPC at \`/trpc\` with
superjson and at most ${maxBatchCalls} calls per batch. \`v1.*\`, \`v2.*\` and \`admin.*\` are the operations of this document. The
following procedures have no path below \`/api\`: \`v1.events.follow\` streams events as they happen; \`studio.*\` is the owner's work
including drafts, and requires an owner's session; \`site.*\` is for visitors and requires no credential.

| Procedures | Calls |
|---|---|
${procedureRows(router).join('\n')}
`;

/** A row for each group of procedures without a REST path. */
function procedureRows(router: AnyRouter): string[] {
  const names = [...proceduresOf(router).values()].flatMap(({ name, meta }) => (meta.openapi ? [] : [name]));
  const groups = Map.groupBy(names, (name) => name.slice(0, name.lastIndexOf('.')));
  return [...groups].map(([group, members]) => {
    const calls = members.map((name) => `\`${name.slice(group.length + 1)}\``);
    return `| \`${group}\` | ${calls.join(', ')} |`;
  });
}
