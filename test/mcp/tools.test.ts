import { expect, test } from 'vitest';
import { z } from 'zod';
import { scopeNames } from '../../shared/contract/scopes.ts';
import { specifiedTools } from '../spec.ts';
import { startApp } from '../support/app.ts';
import { connectAssistant } from '../support/assistant.ts';

test('a key with every scope gets all tools, with these names', async () => {
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
    description: 'Record ID: 15 letters and digits',
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

test('hints mark reads, additions, repeatable changes, and sending that cannot be undone', async () => {
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

/** Arguments that each tool, except updates, can be called with. */
const given: Record<string, unknown> = {
  id: 'aaaaaaaaaaaaaaa',
  post_id: 'aaaaaaaaaaaaaaa',
  slug: 'no-such-slug',
  collection: 'posts',
  q: 'nulls',
  event: 'content.created',
  title: 'With nulls',
  name: 'With nulls',
  company: 'With nulls',
  institution: 'With nulls',
  url: 'https://hooks.example.com',
  events: ['*'],
};

test('a null argument equals a missing one, for every tool that reads or creates', async () => {
  await using app = await startApp();
  await using assistant = await connectAssistant(app, await app.seed.key({ scopes: scopeNames }));
  const { tools } = await assistant.client.listTools();
  for (const { name, inputSchema } of tools.filter(readsOrCreates)) {
    const { properties = {}, required = [] } = inputSchema;
    const nulls = Object.fromEntries(Object.keys(properties).map((argument) => [argument, null]));
    const needed = Object.fromEntries(required.map((argument) => [argument, given[argument]]));
    const answers = [
      await assistant.callTool(name, needed),
      await assistant.callTool(name, { ...nulls, ...needed }),
    ];
    const [plain, withNulls] = answers.map((answer) =>
      name.startsWith('create_') ? kindOf(answer) : answer,
    );
    expect(withNulls, name).toEqual(plain);
  }
  expect(await assistant.callTool('create_post', { title: null })).toEqual({
    error: expect.objectContaining({ code: 'validation_failed', message: 'title: is required' }),
  });
});

/** Excludes sending, which cannot be undone: null is not treated as a missing value there. */
const readsOrCreates = ({ name }: { name: string }) => !/^update_|^create_mailing$/.test(name);

const Refusal = z.object({ error: z.object({ code: z.string() }) });

/** Returns the code of an error, or the names of an answer's fields. */
const kindOf = (answer: unknown) => {
  const { data } = Refusal.safeParse(answer);
  return data ? data.error.code : Object.keys(z.looseObject({}).parse(answer));
};

test('in an update null unsets fields without an empty value, and changes no other', async () => {
  await using app = await startApp();
  await using assistant = await connectAssistant(
    app,
    await app.seed.key({ scopes: ['mcp:write', 'mcp:read'] }),
  );
  const made = await assistant.callTool('create_certification', {
    name: 'Kept',
    issuer: 'Database Guild',
    expiry_date: '2027-11',
  });
  const { id } = z.object({ id: z.string() }).parse(made);
  const update = { id, name: null, issuer: null, credential_id: '', expiry_date: null };
  expect(await assistant.callTool('update_certification', update)).toEqual({ status: 'updated' });
  const fields = 'name,issuer,expiry_date';
  expect(await assistant.callTool('list_certifications', { fields })).toMatchObject({
    data: [{ name: 'Kept', issuer: 'Database Guild', expiry_date: null }],
  });
});

test('an update that changes nothing is an error: null for a required value, no field, or an unknown one', async () => {
  await using app = await startApp();
  const key = await app.seed.key({ scopes: ['mcp:write', 'mcp:read'] });
  await using assistant = await connectAssistant(app, key);
  const { tools } = await assistant.client.listTools();
  const updates = tools.filter(({ name }) => name.startsWith('update_'));
  expect(updates.length).toBe(9);
  const refused = (path: string, message: string) => ({
    error: {
      code: 'validation_failed',
      message: path ? `${path}: ${message}` : message,
      fields: [{ path, message }],
    },
  });
  for (const { name, inputSchema } of updates) {
    const needed = inputSchema.required?.includes('id') ? { id: given.id } : {};
    const field = Object.keys(inputSchema.properties ?? {}).find((argument) =>
      ['title', 'name', 'company', 'institution'].includes(argument),
    );
    if (!field) throw new Error(`${name} takes no name`);
    expect([
      await assistant.callTool(name, { ...needed, [field]: null }),
      await assistant.callTool(name, needed),
      await assistant.callTool(name, { ...needed, colour: null }),
    ]).toEqual([
      refused(field, 'null does not change this field, and no other change was given'),
      refused('', 'contains no change: give at least one field'),
      refused('colour', 'is not a known field'),
    ]);
  }
});

test('a newsletter with null as its audience is not sent', async () => {
  await using app = await startApp();
  await using assistant = await connectAssistant(app, await app.seed.key({ scopes: scopeNames }));
  const post = await assistant.callTool('create_post', { title: 'To whom?' });
  const { id } = z.object({ id: z.string() }).parse(post);
  expect(await assistant.callTool('create_mailing', { post_id: id, audience: null })).toMatchObject({
    error: { code: 'validation_failed' },
  });
});
