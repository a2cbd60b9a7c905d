import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { cp, mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { rolldown } from 'rolldown';
import { buildClient } from '../../client/sdk/build/build.ts';
import { folderOfRun } from './run-once-per-suite.ts';

const run = promisify(execFile);
const repository = fileURLToPath(new URL('../..', import.meta.url));

const packageDir = path.join(repository, 'client/sdk');

/** Writes the tarball that a release publishes. It is built in a copy, because other tests read the package's folder. */
async function packClient(folder: string) {
  const source = path.join(folder, 'source');
  const isSource = (file: string) => !/\/(node_modules|dist)$/.test(file);
  await cp(packageDir, source, { recursive: true, filter: isSource });
  await buildClient(path.join(source, 'dist'));
  await run('npm', ['pack', '--ignore-scripts', '--pack-destination', folder], { cwd: source });
}

/** Returns the path of the client package's tarball, which is packed once per run. */
async function findTarball(): Promise<string> {
  const folder = await folderOfRun('client', packClient);
  const [name = ''] = (await readdir(folder)).filter((file) => file.endsWith('.tgz'));
  return path.join(folder, name);
}

/** Creates a project outside the checkout with only the client package, installed by npm without a network. */
export async function installClient() {
  const project = await mkdtemp(path.join(tmpdir(), 'creator-content-client-'));
  const installed = path.join(project, 'node_modules/creator-content-client');
  await writeFile(path.join(project, 'package.json'), '{ "type": "module" }');
  const cache = path.join(project, '.npm');
  const options = ['--offline', '--cache', cache, '--no-audit', '--no-fund', '--ignore-scripts'];
  await run('npm', ['install', ...options, await findTarball()], { cwd: project });
  return {
    project,
    installed,
    dist: path.join(installed, 'dist'),
    /** Adds a package of the checkout that users of the client also have. */
    async add(name: string) {
      const target = path.join(project, 'node_modules', name);
      if (existsSync(target)) return;
      await mkdir(path.dirname(target), { recursive: true });
      await symlink(path.join(repository, 'node_modules', name), target);
    },
    async write(name: string, text: string) {
      const file = path.join(project, name);
      await mkdir(path.dirname(file), { recursive: true });
      await writeFile(file, text);
    },
    /** Bundles and minifies a module with the package, for a page. A classic script exports to `bundled`. */
    async bundle(source: string, format: 'es' | 'iife' = 'es'): Promise<string> {
      const input = path.join(project, 'bundled.js');
      await writeFile(input, source);
      await using bundle = await rolldown({ input, platform: 'browser' });
      const { output } = await bundle.generate({ minify: true, format, name: 'bundled' });
      return output.map((part) => (part.type === 'chunk' ? part.code : '')).join('');
    },
    /** Returns the compiler's output for these files; empty if there are no errors. */
    async typeErrors(
      files: string | readonly string[],
      options: Record<string, unknown>,
      compiler = currentCompiler,
    ) {
      const config = { compilerOptions: { ...strict, ...options }, files: [files].flat() };
      await writeFile(path.join(project, 'tsconfig.json'), JSON.stringify(config));
      const { stdout } = await run(process.execPath, [compiler, '-p', project]).catch((failure) => failure);
      return String(stdout);
    },
    async [Symbol.asyncDispose]() {
      await rm(project, { recursive: true, force: true });
    },
  };
}

const resolve = createRequire(import.meta.url).resolve;
/** The compiler that the project uses, which is the newest. */
export const currentCompiler = path.join(repository, 'node_modules/typescript/bin/tsc');
/** The oldest compiler that the package supports. */
export const oldestCompiler = resolve('typescript-oldest/bin/tsc');

const strict = {
  strict: true,
  skipLibCheck: false,
  noEmit: true,
  target: 'es2023',
  module: 'nodenext',
  moduleResolution: 'nodenext',
  types: [],
};

/** Returns the blocks of a Markdown file in any of these languages, also those of list items. */
export async function codeIn(file: string, ...languages: string[]): Promise<string[]> {
  const text = await readFile(path.join(repository, file), 'utf8');
  const blocks = text.matchAll(/^( *)```(\w+)\n(.*?)^\1```$/gms);
  return [...blocks]
    .filter(([, , language = '']) => languages.includes(language))
    .map(([, indent, , code = '']) => code.replace(new RegExp(`^${indent}`, 'gm'), ''));
}
