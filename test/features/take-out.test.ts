import { execFile } from 'node:child_process';
import { readFile, rm } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { keysOf } from '../../shared/contract/names-of.ts';
import { copyCheckout } from '../support/checkout-copy.ts';
import { type Feature, type Line, removable } from './removable.ts';

const names = keysOf(removable);

test.for(names)(
  'without %s, its folders and lines of composition, server and worker compile',
  async (name) => {
    await using copy = await copyForTakingOut();
    await copy.takeOut(name);
    expect(await copy.compileServer()).toEqual([]);
  },
);

test('without all removable features, the studio compiles', async () => {
  await using copy = await copyForTakingOut();
  for (const name of names) await copy.takeOut(name);
  expect(await copy.compileStudio()).toEqual([]);
});

const run = promisify(execFile);
const compiler = path.join(import.meta.dirname, '../../node_modules/typescript/bin/tsc');

/** Copies the sources, so that features can be removed from them. Dispose of the copy. */
async function copyForTakingOut() {
  const copy = await copyCheckout();
  const exclude = ['**/node_modules', '**/dist', '**/*.test.ts'];
  const config = (more: string[]) =>
    JSON.stringify({ extends: './tsconfig.json', exclude: [...exclude, ...more] });
  await copy.write('tsconfig.sources.json', config(['client/studio']));
  await copy.write('client/studio/tsconfig.sources.json', config([]));

  const compile = async (folder: string) => {
    const project = copy.at(path.join(folder, 'tsconfig.sources.json'));
    // Each checker would compute the shared types again: several take three times the work.
    const options = ['--noEmit', '--incremental', 'false', '--checkers', '1', '-p', project];
    // A check of all sources needs no garbage collection, which is a third of the work.
    const env = { ...process.env, GOGC: 'off' };
    const { stdout } = await run(process.execPath, [compiler, ...options], { env }).catch(
      // The compiler exits with a nonzero code if it finds errors.
      (ended: { stdout: string }) => ended,
    );
    return stdout.split('\n').filter((line) => line.includes('error TS') && !isUnused.test(line));
  };

  return {
    /** Returns the compiler's errors in server, worker and client. */
    compileServer: () => compile('.'),
    compileStudio: () => compile('client/studio'),
    async takeOut(name: keyof typeof removable): Promise<void> {
      const { folders, composition }: Feature = removable[name];
      for (const [file, lines] of Object.entries(composition)) {
        const text = await readFile(copy.at(file), 'utf8');
        await copy.write(
          file,
          lines.reduce<string>((left, line) => withoutLine(left, line, file), text),
        );
      }
      for (const folder of folders) await rm(copy.at(folder), { recursive: true });
    },
    [Symbol.asyncDispose]: copy[Symbol.asyncDispose],
  };
}

/** Errors about unused imports or parameters, which the linter would remove. */
const isUnused = /error TS(6133|6192|6196|6198)/;

/** Removes a line from the text, with the block that it opens. Throws if there is no such line. */
function withoutLine(text: string, line: Line, file: string): string {
  const part = typeof line === 'string' ? line : line.word;
  const at = text.indexOf(part);
  if (at < 0) throw new Error(`${file} does not contain ${part}`);
  if (typeof line === 'object') return text.replace(part, '');
  const lines = text.split('\n');
  const first = text.slice(0, at).split('\n').length - 1;
  return lines.toSpliced(first, lengthAt(lines, first)).join('\n');
}

function lengthAt(lines: readonly string[], at: number): number {
  const first = lines[at] ?? '';
  if (!/[([{]$/.test(first)) return 1;
  const indent = first.search(/\S/);
  const end = lines.findIndex((line, position) => position > at && line.search(/\S/) === indent);
  return end - at + 1;
}
