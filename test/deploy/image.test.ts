/**
 * The image under Compose, as in docs/operate/install.md. It runs if the image of this version and an image of PostgreSQL are
 * present; a build takes minutes, and is a step of docs/internals/releasing.md.
 */
import { execFile } from 'node:child_process';
import { copyFile, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { expect, onTestFinished, test } from 'vitest';
import { eventually } from '../support/eventually.ts';
import { findFreePort } from '../support/process.ts';

const root = path.join(import.meta.dirname, '../..');
const run = promisify(execFile);
const succeeds = (program: string, ...args: string[]) => run(program, args).then(isTrue, isFalse);
const isTrue = () => true;
const isFalse = () => false;

const compose = await readFile(path.join(root, 'deploy/compose.yaml'), 'utf8');
const [, ownImage = ''] = /CONTENT_IMAGE:-([^}]+)/.exec(compose) ?? [];
const [, databaseImage = ''] = /image: (\S+postgres:\S+)/.exec(compose) ?? [];

/** Returns the command of Compose if its engine has both images, or else the reason why this test cannot run. */
async function findCompose(): Promise<string[] | string> {
  if (!(await succeeds('docker', 'info'))) return 'no container engine is running';
  for (const image of [ownImage, databaseImage])
    if (!(await succeeds('docker', 'image', 'inspect', image)))
      return `the container engine lacks ${image}; see docs/internals/releasing.md`;
  if (await succeeds('docker', 'compose', 'version')) return ['docker', 'compose'];
  return (await succeeds('docker-compose', 'version')) ? ['docker-compose'] : 'Compose is not installed';
}

/** Writes the files of docs/operate/install.md to a folder, which is deleted after the test. */
async function writeInstallation(port: number): Promise<string> {
  const folder = await mkdtemp(path.join(tmpdir(), 'content-compose-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  await copyFile(path.join(root, 'deploy/compose.yaml'), path.join(folder, 'compose.yaml'));
  await mkdir(path.join(folder, 'secrets'));
  const secrets = {
    secret_key: 'a-secret-key-of-this-test',
    postgres_password: 'a-password-of-this-test',
    database_url: 'postgres://content:a-password-of-this-test@postgres/content',
  };
  for (const [name, secret] of Object.entries(secrets))
    await writeFile(path.join(folder, 'secrets', name), `${secret}\n`);
  const network = `10.231.${port % 200}.0/24`;
  await writeFile(
    path.join(folder, '.env'),
    `PORT=${port}\nPUBLIC_URL=http://localhost:${port}\nSUBNET=${network}\n`,
  );
  return folder;
}

test('the image starts with Compose, keeps its data when it is replaced, and logs no secret', async ({
  skip,
}) => {
  const found = await findCompose();
  if (typeof found === 'string') return skip(found);
  const [program = '', ...first] = found;
  const port = await findFreePort();
  const cwd = await writeInstallation(port);
  const read = (address: string) => fetch(`http://localhost:${port}${address}`);
  const home = async () => (await read('/')).text();
  const composed = async (...args: string[]) => (await run(program, [...first, ...args], { cwd })).stdout;
  const ops = (...args: string[]) => composed('exec', '-T', 'server', 'node', 'server/ops.ts', ...args);
  const start = async () => {
    await composed('up', '-d');
    await eventually(async () => (await read('/readyz').catch(() => null))?.ok ?? false);
  };
  onTestFinished(async () => void (await composed('down', '-v')));

  await start();
  await ops('sites', 'create', '--name', 'In a container');
  expect(await home()).toContain('In a container');
  await eventually(async () => (await composed('ps')).match(/\(healthy\)/g)?.length === 3);
  const touched = await composed('exec', '-T', 'server', 'sh', '-c', 'id -u; touch server/x || echo refused');
  expect(touched).toBe('1000\nrefused\n');
  const logs = await composed('logs');

  await composed('down');
  await start();
  expect(await home()).toContain('In a container');
  expect(logs + (await composed('logs'))).not.toMatch(/-of-this-test/);
});
