import { execFile } from 'node:child_process';
import { mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { storeSecret } from './secret-file.ts';

async function emptyFolder() {
  const folder = await mkdtemp(join(tmpdir(), 'secret-'));
  return { folder, [Symbol.asyncDispose]: () => rm(folder, { recursive: true }) };
}

test('concurrent callers that store a secret all get the same one, which only this user can read', async () => {
  await using at = await emptyFolder();
  for (let round = 0; round < 20; round++) {
    const file = join(at.folder, `${round}`, 'secret-key');
    const given = Array.from({ length: 20 }, (_, one) => `secret ${one}`);
    const got = await Promise.all(given.map((secret) => storeSecret(file, secret)));
    expect(new Set(got).size).toBe(1);
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    expect(await readdir(join(at.folder, `${round}`))).toEqual(['secret-key']);
  }
});

test('an empty file is an error, and no other secret is used', async () => {
  await using at = await emptyFolder();
  const file = join(at.folder, 'secret-key');
  await writeFile(file, '');
  await expect(storeSecret(file, 'secret')).rejects.toThrow(`${file} is empty: delete it and start again.`);
});

const storing = `
  const { storeSecret } = await import('${new URL('./secret-file.ts', import.meta.url)}');
  console.log(await storeSecret(process.argv[1], 'first').catch(({ code }) => code));
`;

test.skipIf(process.platform !== 'linux')(
  'a full disk is left without a secret file, and the next secret is stored',
  async () => {
    await using at = await emptyFolder();
    const file = join(at.folder, 'secret-key');
    const limited = 'ulimit -f 0; exec "$0" --input-type=module --eval "$1" "$2"';
    const { stdout } = await promisify(execFile)('/bin/sh', ['-c', limited, process.execPath, storing, file]);
    expect([stdout.trim(), await readdir(at.folder)]).toEqual(['EFBIG', []]);
    expect([await storeSecret(file, 'second'), await storeSecret(file, 'third')]).toEqual([
      'second',
      'second',
    ]);
  },
);
