import { access, mkdir, readdir, readFile, rm, symlink } from 'node:fs/promises';
import path from 'node:path';
import { expect, test } from 'vitest';
import { copyCheckout } from '../support/checkout-copy.ts';
import { folderSize, megabyte } from '../support/folder-size.ts';
import { runNode } from '../support/process.ts';

const installed = path.resolve('node_modules');

test('programs use the bundle as long as no source has changed since', async () => {
  await using copy = await copyCheckout();
  await rm(copy.at('node_modules'));
  await mkdir(copy.at('node_modules'));
  for (const name of await readdir(installed)) {
    if (name !== '.cache')
      await symlink(path.join(installed, name), path.join(copy.at('node_modules'), name));
  }
  await copy.write('shared/small.ts', 'export const small = 5;');
  await copy.append(
    'server/cli/program.ts',
    "import { small } from '../../shared/small.ts'; console.log(small); console.log(new Error('begun').stack, import.meta.filename);",
  );
  const begunFrom = async () => {
    const { exitCode, output } = await runNode([copy.at('server/ops.ts'), '--help']);
    expect({ exitCode, output }).toEqual({ exitCode: 0, output: expect.stringContaining('Usage: ') });
    expect(output).toContain(copy.at('server/cli/program.ts'));
    return /at .*(\/service\/|server\/cli\/program\.ts:)/.exec(output)?.[1];
  };
  const bundle = () => runNode([copy.at('server/start/bundle.ts')]);

  const madeByEarlierVersion = ['current', 'one', 'two'];
  for (const name of madeByEarlierVersion)
    await mkdir(copy.at(`node_modules/.cache/service/${name}`), { recursive: true });

  expect(await begunFrom()).toBe('server/cli/program.ts:');
  expect(await bundle()).toEqual({ exitCode: 0, output: '' });
  expect(await begunFrom()).toBe('/service/');
  expect(await folderSize(copy.at('node_modules/.cache/service'))).toBeLessThan(15 * megabyte);
  const [folder] = (await readFile(copy.at('node_modules/.cache/service/latest'), 'utf8')).split('\n', 1);
  for (const program of [
    'server/main.ts',
    'server/ops.ts',
    'server/process.ts',
    'server/start.ts',
    'worker/main.ts',
  ]) {
    const code = await readFile(program, 'utf8');
    const [, entry = '', source = ''] = /bundled\(\s*'(.+?)',\s*\(\) => import\('(.+?)'\)/.exec(code) ?? [];
    expect(entry).toBe(path.join(path.dirname(program), source));
    await access(copy.at(`node_modules/.cache/service/${folder}/${entry.replace(/ts$/, 'js')}`));
  }
  await copy.append('shared/small.ts', '// changed');
  expect(await begunFrom()).toBe('server/cli/program.ts:');
  expect(await bundle()).toEqual({ exitCode: 0, output: '' });
  expect(await begunFrom()).toBe('/service/');
  expect(await readdir(copy.at('node_modules/.cache/service'))).toEqual(
    expect.arrayContaining(madeByEarlierVersion),
  );
});
