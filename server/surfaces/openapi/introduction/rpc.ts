import type { AnyRouter } from '@trpc/server';
import { maxBatchCalls } from '../../../../shared/contract/limits.ts';
import { proceduresOf } from '../../../kernel/procedures.ts';

/** What can be called over RPC only (Markdown). */
export const rpc = (router: AnyRouter) => `## RPC

TypeScript programs can call everything by name instead, with all types, by the package \`creator-content-client\`,
which is made from a checkout of the service (\`client/sdk/README.md\`) and is in no registry. It calls
tRPC at \`/trpc\`, values in superjson's form, at most ${maxBatchCalls} calls in a batch. \`v1.*\`, \`v2.*\` and \`admin.*\` are the operations below.
What follows has no path below \`/api\`: \`v1.events.follow\` tells of events as they happen; \`studio.*\` is the owner's work, drafts included, and needs the owner's session;
\`site.*\` is what visitors may do, and needs no credential.

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
