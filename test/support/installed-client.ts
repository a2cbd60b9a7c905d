import { execFile } from 'node:child_process';
import { cp, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { rolldown } from 'rolldown';
import { buildClient } from '../../client/sdk/build/build.ts';
import { folderOfRun } from './run-once-per-suite.ts';

const run = promisify(execFile);
const repository = fileURLToPath(new URL('../..', import.meta.url));

/** Creates a project outside the checkout with only the client package, installed as it is published. */
export async function installClient() {
  const project = await mkdtemp(path.join(tmpdir(), 'creator-content-client-'));
  const installed = path.join(project, 'node_modules/creator-content-client');
  await mkdir(installed, { recursive: true });
  await cp(await folderOfRun('client', buildClient), path.join(installed, 'dist'), { recursive: true });
  await cp(path.join(repository, 'client/sdk/package.json'), path.join(installed, 'package.json'));
  await writeFile(path.join(project, 'package.json'), '{ "type": "module" }');
  return {
    project,
    installed,
    dist: path.join(installed, 'dist'),
    /** Adds a package of the checkout that users of the client also have. */
    async add(name: string) {
      const target = path.join(project, 'node_modules', name);
      await mkdir(path.dirname(target), { recursive: true });
      await symlink(path.join(repository, 'node_modules', name), target);
    },
    write: (name: string, text: string) => writeFile(path.join(project, name), text),
    /** Bundles and minifies a module with the package, for a page. A classic script exports to `bundled`. */
    async bundle(source: string, format: 'es' | 'iife' = 'es'): Promise<string> {
      const input = path.join(project, 'bundled.js');
      await writeFile(input, source);
      await using bundle = await rolldown({ input, platform: 'browser' });
      const { output } = await bundle.generate({ minify: true, format, name: 'bundled' });
      return output.map((part) => (part.type === 'chunk' ? part.code : '')).join('');
    },
    /** Returns the compiler's output for one file; empty if there are no errors. */
    async typeErrors(file: string, options: Record<string, unknown>, compiler = currentCompiler) {
      const config = { compilerOptions: { ...strict, ...options }, files: [file] };
      await writeFile(path.join(project, 'tsconfig.json'), JSON.stringify(config));
      const { stdout } = await run(process.execPath, [compiler, '-p', project]).catch((failure) => failure);
      return String(stdout);
    },
    async [Symbol.asyncDispose]() {
      await rm(project, { recursive: true, force: true });
    },
  };
}

const currentCompiler = path.join(repository, 'node_modules/typescript/bin/tsc');

const strict = {
  strict: true,
  skipLibCheck: false,
  noEmit: true,
  target: 'es2023',
  module: 'nodenext',
  moduleResolution: 'nodenext',
  types: [],
};

/** Returns the TypeScript blocks of a Markdown file. */
export async function typescriptIn(file: string): Promise<string[]> {
  const text = await readFile(path.join(repository, file), 'utf8');
  return [...text.matchAll(/^```ts\n(.*?)^```$/gms)].map(([, code = '']) => code);
}
