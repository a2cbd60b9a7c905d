import { expect, test } from 'vitest';
import { scopeNames } from '../../shared/contract/scopes.ts';
import { specifiedTools } from '../spec.ts';
import { startApp } from '../support/app.ts';
import { connectAssistant } from '../support/assistant.ts';

test('a key with every scope is offered every tool, by these names', async () => {
  await using app = await startApp();
  await using assistant = await connectAssistant(app, await app.seed.key({ scopes: scopeNames }));
  expect((await assistant.toolNames()).sort()).toEqual(specifiedTools.toSorted());
});

test('a tool is described by the contract of its procedure', async () => {
  await using app = await startApp();
  await using assistant = await connectAssistant(app, await app.seed.key({ scopes: ['mcp:skills:write'] }));
  const { tools } = await assistant.client.listTools();
  const id = {
    type: 'string',
    description: 'Record id: 15 letters and digits',
    examples: ['mb3k9x2a7f0q1zd'],
  };
  const deleted = {
    type: 'object',
    properties: { status: { type: 'string', const: 'deleted' } },
  };
  expect(tools.find(({ name }) => name === 'delete_skill')).toMatchObject({
    name: 'delete_skill',
    title: 'Delete a skill',
    description: 'Delete a skill',
    inputSchema: { type: 'object', properties: { id }, required: ['id'], additionalProperties: false },
    outputSchema: deleted,
    annotations: {
      readOnlyHint: false,
      destructiveHint: true,
      idempotentHint: true,
      openWorldHint: false,
    },
  });
});

test('reads are marked as such, creates as additions, updates and deletes as repeatable changes, and what goes out to people as what can not be undone', async () => {
  await using app = await startApp();
  await using assistant = await connectAssistant(app, await app.seed.key({ scopes: scopeNames }));
  const { tools } = await assistant.client.listTools();
  const hints = { openWorldHint: false };
  const changes = { readOnlyHint: false, destructiveHint: true, idempotentHint: true, ...hints };
  const expected: Record<string, object> = {
    list: { readOnlyHint: true, ...hints },
    get: { readOnlyHint: true, ...hints },
    poll: { readOnlyHint: true, ...hints },
    preview: { readOnlyHint: true, ...hints },
    search: { readOnlyHint: true, ...hints },
    create: { readOnlyHint: false, destructiveHint: false, idempotentHint: false, ...hints },
    create_mailing: {
      readOnlyHint: false,
      destructiveHint: true,
      idempotentHint: false,
      openWorldHint: true,
    },
    update: changes,
    delete: changes,
  };
  const kinds = tools.map(({ name, annotations }) => [
    name in expected ? name : name.split('_')[0],
    annotations,
  ]);
  expect(kinds).toEqual(kinds.map(([verb]) => [verb, expected[String(verb)]]));
});
