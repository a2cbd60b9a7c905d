import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { parseSync } from 'rolldown/utils';

/**
 * Proves that only comments and formatting changed since a commit: `node test/lint/english/compare-code.ts COMMIT`.
 *
 * Compares the syntax trees of all TypeScript files, without positions. Strings, `.describe()` texts included, belong to the
 * tree and have to be equal. Prints each file whose code differs, and exits with 1 if there is one.
 */
const root = path.join(import.meta.dirname, '../../..');
const git = (...args: string[]) =>
  execFileSync('git', args, { cwd: root, encoding: 'utf8', maxBuffer: 100_000_000 });

const [base = 'HEAD'] = process.argv.slice(2);
const positions = new Set(['start', 'end', 'range', 'loc']);

const treeOf = (file: string, code: string) =>
  JSON.stringify(parseSync(file, code).program, (key, value) =>
    positions.has(key) ? undefined : typeof value === 'bigint' ? String(value) : value,
  );

const changed = git('diff', '--name-only', '--no-renames', base, '--', '*.ts', '*.tsx')
  .split('\n')
  .filter(Boolean);
const differing = changed.filter((file) => {
  const now = path.join(root, file);
  if (!existsSync(now)) return true;
  try {
    return treeOf(file, git('show', `${base}:${file}`)) !== treeOf(file, readFileSync(now, 'utf8'));
  } catch {
    return true;
  }
});
for (const file of differing) console.error(`code differs: ${file}`);
console.log(`${changed.length - differing.length} of ${changed.length} files have equal code`);
process.exitCode = differing.length > 0 ? 1 : 0;
