import { execFile } from 'node:child_process';
import { cp, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { rolldown } from 'rolldown';
import { buildClient } from '../../client/sdk/build/build.ts';
import { folderOfRun } from './once-per-run.ts';

const run = promisify(execFile);
const repository = fileURLToPath(new URL('../..', import.meta.url));

/** A project outside the checkout that has the client package installed as it is published, and nothing else. */
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
    /** Adds a package of the checkout, for what a user of the client has besides. */
    async add(name: string) {
      const target = path.join(project, 'node_modules', name);
      await mkdir(path.dirname(target), { recursive: true });
      await symlink(path.join(repository, 'node_modules', name), target);
    },
    write: (name: string, text: string) => writeFile(path.join(project, name), text),
    /** What a page loads of a module: the package in it, minified. Exports are at `bundled`, of a classic script. */
    async bundle(source: string, format: 'es' | 'iife' = 'es'): Promise<string> {
      const input = path.join(project, 'bundled.js');
      await writeFile(input, source);
      await using bundle = await rolldown({ input, platform: 'browser' });
      const { output } = await bundle.generate({ minify: true, format, name: 'bundled' });
      return output.map((part) => (part.type === 'chunk' ? part.code : '')).join('');
    },
    /** What the compiler says of one file; empty when it is content. */
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

/** The TypeScript in a Markdown file, block by block. */
export async function typescriptIn(file: string): Promise<string[]> {
  const text = await readFile(path.join(repository, file), 'utf8');
  return [...text.matchAll(/^```ts\n(.*?)^```$/gms)].map(([, code = '']) => code);
}
