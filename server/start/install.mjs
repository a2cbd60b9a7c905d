/**
 * Installs what a script of package.json needs, where it is missing: what runs the service, or with `--all` also what
 * builds and tests it. Plain JavaScript for any Node >= 20: the one that runs everything else is installed here.
 */
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const checkout = join(import.meta.dirname, '..', '..');
const modules = join(checkout, 'node_modules');
const stamp = join(modules, '.installed-from');

const wantsAll = process.argv.includes('--all');
const lockfile = createHash('sha256')
  .update(readFileSync(join(checkout, 'pnpm-lock.yaml')))
  .digest('hex');
const hasAll = existsSync(join(modules, 'vitest'));
const isCurrent = existsSync(stamp) && readFileSync(stamp, 'utf8') === lockfile;

if (!isCurrent || (wantsAll && !hasAll)) {
  const which = wantsAll || hasAll ? [] : ['--prod', '--filter', 'creator-content-service'];
  // What was dropped of packages is put back.
  const anew = wantsAll && !hasAll && existsSync(stamp) ? ['--force'] : [];
  const { status } = spawnSync('npx', ['-y', 'pnpm', 'install', '--frozen-lockfile', ...which, ...anew], {
    cwd: checkout,
    stdio: 'inherit',
    shell: process.platform === 'win32',
  });
  if (status !== 0) {
    console.error(
      '\nInstalling packages failed, so nothing was started. Fix the error above and run the command again.',
    );
    process.exit(1);
  }
  dropHeaders();
  if (which.length > 0) dropWhatToolsRead();
  writeFileSync(stamp, lockfile);
}

/** Node's package brings headers for compiling addons: a third of it, and nothing here is compiled. */
function dropHeaders() {
  const platforms = join(modules, 'node', 'node_modules');
  for (const name of existsSync(platforms) ? readdirSync(platforms) : []) {
    if (name.startsWith('node-')) rmSync(join(platforms, name, 'include'), { recursive: true, force: true });
  }
}

/** What only debuggers, compilers and people read: a sixth of what the service alone needs. */
function dropWhatToolsRead() {
  const packages = join(modules, '.pnpm');
  for (const path of existsSync(packages) ? filesBelow(packages) : []) {
    if (/(\.map|\.[cm]?ts|(readme|changelog|history)\.md)$/i.test(path)) rmSync(path, { force: true });
  }
}

/** Follows no link: some lead back to the sources of this checkout. Node's own recursion does, in some of its versions. */
function filesBelow(folder) {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return filesBelow(path);
    return entry.isFile() ? [path] : [];
  });
}
