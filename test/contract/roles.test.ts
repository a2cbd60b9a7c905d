import { readFileSync } from 'node:fs';
import { afterAll, expect, test } from 'vitest';
import { areas as rightsByArea, roleNames } from '../../shared/contract/roles.ts';
import { SitePerson } from '../../shared/db/entities/person.ts';
import { startApp } from '../support/app.ts';
import { type Call, calls } from '../support/calls.ts';
import { callEndpoint, ownerEndpoints } from '../support/endpoints.ts';
import { codeOf } from '../support/http.ts';

// docs/reference/roles.md: compares its tables with the response of every procedure that requires a session, for every role.

const app = await startApp({
  smtpUrl: 'smtp://127.0.0.1:1',
  webhooks: { lookup: async () => ['93.184.215.14'] },
});
afterAll(() => app[Symbol.asyncDispose]());

const otherSite = await app.seed.site();

/** An area of the table: the rights of each role, and the procedures that its line names. */
interface Row {
  area: string;
  names: readonly string[];
  rights: Record<string, string>;
}

const text = readFileSync('docs/reference/roles.md', 'utf8');

/** Areas in the order of their procedures, of which the first that names a procedure applies. */
const table: Row[] = [...text.matchAll(/^- \*\*([a-z]+)\*\*: (.*(?:\n {2}.*)*)/gm)].map(
  ([, area = '', line = '']) => {
    const [, cells = ''] = new RegExp(`^\\| ${area} +\\|[^|]*\\|(.*)\\|$`, 'm').exec(text) ?? [];
    const rights = cells.split('|').map((cell) => cell.trim());
    return {
      area,
      names: [...line.matchAll(/`([^`]+)`/g)].map(([, name = '']) => name),
      rights: Object.fromEntries(roleNames.map((role, position) => [role, rights[position] ?? ''])),
    };
  },
);

/** Routers whose writes belong to an area: `studio.posts` means all writes of that router. */
const writesOf = /^studio\.\w+$/;

function rowOf({ name, writes }: Call): Row {
  const row = table.find(({ names }) =>
    names.some((pattern) =>
      writesOf.test(pattern) && pattern !== 'studio.preview'
        ? writes && name.startsWith(`${pattern}.`)
        : new RegExp(`^${pattern.replaceAll('.', '\\.').replaceAll('*', '\\w+')}$`).test(name),
    ),
  );
  const last = table.at(-1);
  if (!last) throw new Error('docs/reference/roles.md has no areas');
  return row ?? last;
}

const staffed = calls.filter(({ access }) => access === 'owner');

/** Error code of a call that is refused because of the role or session; `let in` for any other response. */
async function outcome(call: Call, token: string) {
  // An author may create drafts only, so the field is left out.
  const { is_draft: _, ...input } = call.example;
  const { status, body } = await call.send(app, input, token);
  const code = codeOf(body);
  return code === 'insufficient_role' || status === 401 ? code : 'let in';
}

function expected(call: Call, role: string) {
  const { area, rights } = rowOf(call);
  const right = rights[role];
  const isChange = call.writes && !call.meta.changesNothing;
  if (right === 'write' || right === 'own' || (right === 'read' && !isChange)) return 'let in';
  return area === 'site' && call.title.startsWith('REST') ? 'unauthorized' : 'insufficient_role';
}

test('the table has every area once, and only known rights', () => {
  const areas = table.map(({ area }) => area);
  expect(areas).toEqual(expect.arrayContaining(Object.keys(rightsByArea)));
  expect(areas).toHaveLength(Object.keys(rightsByArea).length);
  const cells = table.flatMap(({ rights }) => Object.values(rights));
  expect(cells.filter((cell) => !['write', 'read', 'own', '-'].includes(cell))).toEqual([]);
});

test.for(roleNames)(
  '%s is admitted to exactly the procedures in the table, regardless of their role on another site',
  async (role) => {
    const person = await app.seed.person(role);
    const elsewhere = role === 'owner' ? 'support' : 'owner';
    await app.deps.database.em.fork().insert(SitePerson, {
      ...{ site_id: otherSite, person_id: person.id, role: elsewhere, created: app.clock.now() },
    });
    const answers: [string, unknown][] = [];
    for (const call of staffed)
      answers.push([call.title, await outcome(call, await app.seed.session(person))]);
    expect(answers).toEqual(staffed.map((call) => [call.title, expected(call, role)]));
  },
);

test('a person without a site is refused everywhere', async () => {
  const person = await app.seed.person('owner');
  const token = await app.seed.session(person);
  await app.deps.database.em.fork().nativeDelete(SitePerson, { person_id: person.id });
  for (const call of staffed)
    expect([call.title, await outcome(call, token)]).toEqual([call.title, 'unauthorized']);
});

test('a role that this version does not know is refused everywhere', async () => {
  const person = await app.seed.person('owner');
  await app.deps.database.em.execute(`update site_people set role = 'herald' where person_id = ?`, [
    person.id,
  ]);
  const token = await app.seed.session(person);
  for (const call of staffed)
    expect([call.title, await outcome(call, token)]).toEqual([call.title, expected(call, 'nobody')]);
});

test('exactly the roles with access to media can upload a file', async () => {
  const upload = ownerEndpoints.find(({ takesFile }) => takesFile);
  if (!upload) throw new Error('files are uploaded somewhere');
  const answers = roleNames.map(async (role) => {
    const { token: key } = await app.seed.person(role);
    const { status, body } = await callEndpoint(app, upload, { key });
    return [role, status < 300 ? 'kept' : codeOf(body)];
  });
  expect(Object.fromEntries(await Promise.all(answers))).toEqual({
    owner: 'kept',
    editor: 'kept',
    author: 'kept',
    support: 'insufficient_role',
  });
});

test('a key has the rights of its scopes, whoever created it', async () => {
  const key = await app.seed.key();
  expect((await app.post('/api/v1/posts', { key, body: { title: 'By a program' } })).status).toBe(201);
});
