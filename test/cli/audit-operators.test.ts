import { userInfo } from 'node:os';
import type { Command } from 'commander';
import { afterAll, expect, test } from 'vitest';
import { createProgram } from '../../server/cli/index.ts';
import { startApp } from '../support/app.ts';
import { makeFolder, runOps } from '../support/backups.ts';

const app = await startApp();
const folder = await makeFolder();
afterAll(async () => {
  await app[Symbol.asyncDispose]();
  await folder[Symbol.asyncDispose]();
});

/** Commands that write no audit entry, with the reason. */
const unaudited: Record<string, string> = {
  migrate: 'changes the installation, and no site of it',
  'secret-key.change': 'changes the installation, and no site of it',
  backup: 'copies the installation, every night',
  restore: 'brings the audit log back as it was',
  deliveries: 'only looks',
  'media.check': 'only looks',
  'outbox.list': 'only looks',
  'outbox.show': 'only looks',
  'mail.check': 'only looks, and mails to who is named',
  'payments.check': 'only looks, with a test key that no site has',
  'media.resize': 'has the worker do again what it does by itself',
  'sites.list': 'only looks',
  'keys.list': 'only looks',
  'people.list': 'only looks',
};

const archive = folder.at('site.tar.gz');

/** Commands that write an audit entry, with their arguments, in an order in which each finds the rows that it needs. */
const audited: Record<string, (made: { site: string; key: string }) => string[]> = {
  'sites.create': () => ['--name', 'Second'],
  'sites.update': ({ site }) => [site, '--name', 'Renamed', '--mcp', 'off'],
  'people.create': ({ site }) => ['second@example.com', '--site', site],
  'people.reset-password': () => ['Second@example.com'],
  'people.reset-factors': () => ['second@example.com'],
  'keys.create': ({ site }) => ['--site', site, '--name', 'CI', '--scopes', 'read'],
  'keys.disable': ({ site, key }) => ['--site', site, key],
  'keys.enable': ({ site, key }) => ['--site', site, key],
  'keys.delete': ({ site, key }) => ['--site', site, key],
  export: ({ site }) => [site, '--out', archive],
  'media.adopt': () => [],
};

const ops = (command: string, args: string[], databaseUrl = app.databaseUrl) =>
  runOps([...command.split('.'), ...args], { dataDir: folder.at('data'), databaseUrl });

const newcomer = { name: 'Grace Bell', password: 'staple battery horse' };

const operator = { kind: 'operator', id: userInfo().username, name: userInfo().username };

test('every operator command is tested to write an audit entry, or is in the list of exceptions with a reason', () => {
  const listed = [...Object.keys(audited), 'import', ...Object.keys(unaudited)];
  expect(namesOf(createProgram('')).toSorted()).toEqual(listed.toSorted());
});

test('an operator command that changes a site writes an audit entry of that site', async () => {
  const made = { site: '', key: '' };
  for (const [command, argsOf] of Object.entries(audited)) {
    const { exitCode, output } = await ops(command, argsOf(made));
    expect([command, exitCode, output]).toEqual([command, 0, expect.anything()]);
    made.site ||= /[Ss]ite (\w{15})/.exec(output)?.[1] ?? '';
    const [, token] = /\/studio\/invitation#(\w+)/.exec(output) ?? [];
    // Entries are ordered by time, and operator commands use the machine's clock.
    app.clock.catchUp();
    if (token) await app.post('/api/admin/invitations/accept', { body: { token, ...newcomer } });
    made.key ||= /This is key (\w{15})/.exec(output)?.[1] ?? '';
  }

  const { site, key } = made;
  const entries = await entriesOf(site);
  const owner = expect.stringMatching(/^\w{15}$/);
  const entry = (action: string, record_id: unknown, changed: string[] = []) => ({
    actor: operator,
    action,
    record_id,
    changed,
  });
  expect(entries).toEqual([
    entry('ops.sites.create', site),
    entry('ops.sites.update', null, ['name', 'mcp_enabled']),
    entry('ops.people.create', owner),
    { ...entry('admin.invitations.accept', null), actor: { kind: 'owner', id: owner, name: newcomer.name } },
    entry('ops.people.reset-password', owner),
    entry('ops.people.reset-factors', owner),
    entry('ops.keys.create', key),
    entry('ops.keys.disable', key),
    entry('ops.keys.enable', key),
    entry('ops.keys.delete', key),
    entry('ops.export', null),
    entry('ops.media.adopt', null),
  ]);
});

test('a command that fails leaves neither a change nor an audit entry', async () => {
  const site = await app.seed.site({ subdomain: 'quiet' });
  await app.seed.site({ subdomain: 'taken' });

  const failed = [
    await ops('keys.delete', ['--site', site, 'unknown']),
    await ops('sites.update', [site, '--name', 'Other', '--subdomain', 'taken']),
    await ops('people.create', ['no address', '--site', site]),
  ];

  expect(failed.map(({ exitCode }) => exitCode)).toEqual([1, 1, 1]);
  expect(await entriesOf(site)).toEqual([]);
});

test('an import writes one audit entry if it changes something, and none otherwise', async () => {
  await using source = await startApp();
  const site = await source.seed.ownSite();
  const key = await source.seed.key();
  for (const title of ['One', 'Two']) await source.post('/api/v1/posts', { key, body: { title } });
  await ops('export', ['--out', archive], source.databaseUrl);

  const dry = await ops('import', [archive, '--dry-run']);
  expect([dry.exitCode, await entriesOf(site)]).toEqual([0, []]);
  const first = await ops('import', [archive]);
  const again = await ops('import', [archive, '--site', site]);

  expect([first.exitCode, again.exitCode, again.output]).toEqual([
    0,
    0,
    expect.stringContaining('Created: 0'),
  ]);
  expect(await entriesOf(site)).toEqual([
    { actor: operator, action: 'ops.import', record_id: null, changed: [] },
  ]);
});

/** Audit entries of a site in the order in which they were written. */
const entriesOf = (site: string): Promise<unknown[]> =>
  app.deps.database.em.execute(
    'select actor, action, record_id, changed from audit_log where site_id = ? order by created, id',
    [site],
  );

const namesOf = ({ commands }: Command): string[] =>
  commands.flatMap((command) => {
    const below = namesOf(command);
    return below.length > 0 ? below.map((name) => `${command.name()}.${name}`) : [command.name()];
  });
