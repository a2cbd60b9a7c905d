/**
 * Installs missing packages for a script of package.json: those that run the service, or with `--all` also those that
 * build and test it. Plain JavaScript for any Node >= 20, because it also installs the Node version that runs the
 * service.
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
  // Reinstalls the files that an earlier run deleted from packages.
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

/** Deletes headers for compiling addons from Node's package: a third of its size, and nothing is compiled here. */
function dropHeaders() {
  const platforms = join(modules, 'node', 'node_modules');
  for (const name of existsSync(platforms) ? readdirSync(platforms) : []) {
    if (name.startsWith('node-')) rmSync(join(platforms, name, 'include'), { recursive: true, force: true });
  }
}

/** Deletes files for debuggers, compilers and people: a sixth of what the service needs. */
function dropWhatToolsRead() {
  const packages = join(modules, '.pnpm');
  for (const path of existsSync(packages) ? filesBelow(packages) : []) {
    if (/(\.map|\.[cm]?ts|(readme|changelog|history)\.md)$/i.test(path)) rmSync(path, { force: true });
  }
}

/**
 * Lists files without following links, because some lead back to this checkout. Node's own recursion follows them in
 * some versions.
 */
function filesBelow(folder) {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return filesBelow(path);
    return entry.isFile() ? [path] : [];
  });
}
