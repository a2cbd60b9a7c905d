import { cp, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';

const checkout = path.join(import.meta.dirname, '../..');
const copied = ['client', 'server', 'shared', 'worker', 'package.json', 'pnpm-lock.yaml', 'tsconfig.json'];
const installed = ['node_modules', 'client/studio/node_modules'];
const isSource = (file: string) => !/\/(node_modules|dist[^/]*)$/.test(file);

/** Copies the project's sources to a folder that a test can change. Dispose of it. */
export async function copyCheckout() {
  const folder = await mkdtemp(path.join(tmpdir(), 'checkout-'));
  for (const name of copied) {
    await cp(path.join(checkout, name), path.join(folder, name), { recursive: true, filter: isSource });
  }
  for (const name of installed) await symlink(path.join(checkout, name), path.join(folder, name));
  const at = (file: string) => path.join(folder, file);
  return {
    at,
    write: (file: string, text: string) => writeFile(at(file), text),
    append: async (file: string, text: string) => {
      await writeFile(at(file), `${await readFile(at(file), 'utf8')}\n${text}\n`);
    },
    /** Inserts `text` before the first `mark` in a file. Throws if the file has no `mark`. */
    async insertBefore(file: string, mark: string, text: string) {
      const source = await readFile(at(file), 'utf8');
      if (!source.includes(mark)) throw new Error(`${file} does not contain ${mark}`);
      await writeFile(
        at(file),
        source.replace(mark, () => `${text}${mark}`),
      );
    },
    [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true, maxRetries: 5 }),
  };
}
