/** The script that installs the service on a new machine, with stand-ins for programs that would change this one. */
import { execFile } from 'node:child_process';
import { cp, mkdir, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, test } from 'vitest';

const root = path.join(import.meta.dirname, '../..');

/** Programs in front of `PATH`. They append their arguments to `calls`, and answer from files of the stage. */
const standIns: Record<string, string> = {
  id: 'if [ "$1" = -u ]; then cat "$STAGE/uid"; else exit 1; fi',
  su: `text=$(cat)
    case $text in
    'select 1 '*) cat "$STAGE/database" ;;
    *regclass* | 'select exists'*) cat "$STAGE/has-site" ;;
    *) echo "psql: $text" >> "$STAGE/calls" ;;
    esac`,
  openssl: 'echo 0123456789abcdef',
  // Only root may set owners.
  install: `drop=
    for word; do
      shift
      case $word in
      -o | -g) drop=1 ;;
      *) [ -n "$drop" ] || set -- "$@" "$word"; drop= ;;
      esac
    done
    exec /usr/bin/install "$@"`,
  'apt-get': 'mkdir -p "$DESTDIR/etc/caddy"',
  useradd: '',
  npm: '',
  npx: 'echo "npx $*" >> "$STAGE/calls"',
  systemctl:
    'if [ "$1" = is-active ]; then [ -e "$STAGE/active" ]; else echo "systemctl $*" >> "$STAGE/calls"; fi',
};

/** Stand-in for the Node.js of the checkout, which runs operator commands. */
const ops = `[ "$1" = server/ops.ts ] || exit 0
  shift
  echo "ops $*" >> "$STAGE/calls"
  case $1 in
  people) echo https://content.example.com/link ;;
  restore) cat "$SECRET_KEY_FILE"; echo; cat "$STAGE/pending" ;;
  esac
  [ ! -e "$STAGE/$1-fails" ]`;

/** Creates a machine with the files, and a backup in `backup.tar`. */
async function prepare(files: Record<string, string> = {}) {
  const folder = await mkdtemp(path.join(tmpdir(), 'install-script-'));
  const at = (...names: string[]) => path.join(folder, ...names);
  const write = async (file: string, text: string, mode = 0o644) => {
    await mkdir(path.dirname(at(file)), { recursive: true });
    await writeFile(at(file), text, { mode });
  };
  await cp(path.join(root, 'deploy'), at('opt/content/deploy'), { recursive: true });
  for (const [name, text] of Object.entries(standIns))
    await write(`programs/${name}`, `#!/bin/sh\n${text}\n`, 0o755);
  await write('opt/content/node_modules/.bin/node', `#!/bin/sh\n${ops}\n`, 0o755);
  await mkdir(at('etc/systemd/system'), { recursive: true });
  const usual = { uid: '0', database: '', 'has-site': 'f', calls: '', pending: 'Nothing was pending.' };
  for (const [file, text] of Object.entries({ ...usual, ...files })) await write(file, text);
  await write('secret-key', 'key of the backup');
  await runProgram('tar', ['-cf', at('backup.tar'), '-C', folder, 'secret-key']);
  await runProgram('tar', ['-cf', at('keyless.tar'), '-C', folder, 'uid']);
  return {
    at,
    read: (file: string) => readFile(at(file), 'utf8'),
    install: async (...words: string[]) => {
      const args = [at('opt/content/deploy/install.sh'), ...words];
      const PATH = `${at('programs')}:${process.env.PATH}`;
      const { failed, output } = await runProgram('sh', args, { PATH, DESTDIR: folder, STAGE: folder });
      return { failed, output: output.replaceAll(folder, '') };
    },
    calls: async () => (await readFile(at('calls'), 'utf8')).replaceAll(folder, '').trim().split('\n'),
    [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }),
  };
}

const runProgram = (program: string, args: string[], env: Record<string, string> = {}) =>
  new Promise<{ failed: boolean; output: string }>((resolve) => {
    execFile(program, args, { env: { ...process.env, ...env } }, (error, stdout, stderr) =>
      resolve({ failed: error !== null, output: `${stdout}${stderr}` }),
    );
  });

const commands = async (stage: Awaited<ReturnType<typeof prepare>>) =>
  (await stage.calls()).filter((call) => /^(ops|systemctl enable)/.test(call));

test('the install script creates settings, secret key and database, and then the first site with its owner', async () => {
  await using stage = await prepare();
  const { failed, output } = await stage.install('content.example.com', 'ada@example.com');

  expect([failed, output]).toEqual([false, expect.stringContaining('https://content.example.com/link\n')]);
  expect(await commands(stage)).toEqual([
    'ops migrate',
    'ops sites create --name My site',
    'ops people create ada@example.com',
    'systemctl enable --now content-server content-backup.timer content-worker',
  ]);
  const settings = await stage.read('etc/content/environment');
  const lines = settings.replaceAll(stage.at(), '').split('\n');
  expect(lines).toEqual(
    expect.arrayContaining([
      'DATABASE_URL=postgres://content:0123456789abcdef@127.0.0.1:5432/content',
      'SECRET_KEY_FILE=/etc/content/secret-key',
      'PUBLIC_URL=https://content.example.com',
    ]),
  );
  expect(lines.filter((line) => line.startsWith('SECRET_KEY='))).toEqual([]);
  expect(await stage.read('etc/content/secret-key')).toBe('0123456789abcdef\n');
  for (const file of ['environment', 'secret-key'])
    expect((await stat(stage.at('etc/content', file))).mode & 0o777).toBe(0o640);
  expect((await stage.calls()).join('\n')).toContain("alter role content password '0123456789abcdef'");
  expect(await stage.read('etc/caddy/Caddyfile')).toBe(await stage.read('opt/content/deploy/Caddyfile'));
});

test('the install script can run again after a failure, with the settings and the site of the first run', async () => {
  await using stage = await prepare({ 'people-fails': '' });
  expect(await stage.install('content.example.com', 'ada@example.com')).toMatchObject({ failed: true });
  const settings = await stage.read('etc/content/environment');
  await rm(stage.at('people-fails'));
  await writeFile(stage.at('has-site'), 't');
  await writeFile(stage.at('database'), '1');

  expect(await stage.install('content.example.com', 'ada@example.com')).toMatchObject({ failed: false });
  expect(await stage.read('etc/content/environment')).toBe(settings);
  expect((await commands(stage)).filter((call) => call.startsWith('ops sites'))).toHaveLength(1);
});

test.each<[string, Record<string, string>, string, string]>([
  ['nothing was pending: the worker starts', {}, ' content-worker', 'Nothing was pending.'],
  [
    'work was pending: the worker does not start',
    { pending: 'Pending: 1 newsletters.' },
    '',
    'Pending: 1 newsletters.',
  ],
])('the install script restores a backup with its secret key; %s', async (_, files, worker, said) => {
  await using stage = await prepare(files);
  const { failed, output } = await stage.install('content.example.com', '--restore', stage.at('backup.tar'));

  expect([failed, output]).toEqual([false, expect.stringContaining(`key of the backup\n${said}`)]);
  expect(output.includes('systemctl enable --now content-worker')).toBe(worker === '');
  expect(await commands(stage)).toEqual([
    'ops restore /backup.tar',
    `systemctl enable --now content-server content-backup.timer${worker}`,
  ]);
  expect(await stage.read('etc/content/secret-key')).toBe('key of the backup');
});

test('after a failed restore, the install script starts nothing and keeps no secret key; a later run does not restore again', async () => {
  await using stage = await prepare({ 'restore-fails': '' });
  const restore = () => stage.install('content.example.com', '--restore', stage.at('backup.tar'));
  expect(await restore()).toMatchObject({ failed: true });
  expect(await commands(stage)).toEqual(['ops restore /backup.tar']);
  await expect(stat(stage.at('etc/content/secret-key'))).rejects.toThrow('ENOENT');

  await writeFile(stage.at('has-site'), 't');
  expect(await restore()).toMatchObject({
    failed: false,
    output: expect.stringContaining('nothing was restored'),
  });
  expect(await commands(stage)).toEqual([
    'ops restore /backup.tar',
    'systemctl enable --now content-server content-backup.timer',
  ]);
});

test.each<[string, Record<string, string>, string[], string]>([
  ['no arguments', {}, [], 'Usage: sh /opt/content/deploy/install.sh DOMAIN EMAIL'],
  ['an address instead of a domain', {}, ['https://a.example.com', 'a@example.com'], 'is not a domain'],
  ['a domain of one label', {}, ['localhost', 'a@example.com'], 'is not a domain'],
  ['another user than root', { uid: '1000' }, ['a.example.com', 'a@example.com'], 'as root'],
  [
    'a web server',
    { 'usr/sbin/nginx': '' },
    ['a.example.com', 'a@example.com'],
    'a web server: /usr/sbin/nginx',
  ],
  [
    'a database named content',
    { database: '1' },
    ['a.example.com', 'a@example.com'],
    'already has a database',
  ],
  ['a running service', { active: '' }, ['a.example.com', 'a@example.com'], 'already runs'],
  [
    'a backup without a secret key',
    {},
    ['a.example.com', '--restore', 'keyless.tar'],
    'contains no secret key',
  ],
  ['a missing backup', {}, ['a.example.com', '--restore', 'missing.tar'], 'No such file'],
])('the install script refuses %s, and changes nothing', async (_, files, args, message) => {
  await using stage = await prepare(files);
  const words = args.map((word) => (word.endsWith('.tar') ? stage.at(word) : word));
  const { failed, output } = await stage.install(...words);
  expect([failed, output]).toEqual([true, expect.stringContaining(message)]);
  expect(await stage.calls()).toEqual(['']);
  await expect(stat(stage.at('etc/content'))).rejects.toThrow('ENOENT');
});
