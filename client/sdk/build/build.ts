import { rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { buildDeclarations } from './declarations.ts';
import { buildJavascript } from './javascript.ts';
import { updateReadme } from './readme.ts';
import { packageDir } from './sources.ts';

/**
 * Writes the published package into `outDir`, which is emptied first: ECMAScript modules, and in `cjs` the same for
 * `require` and for resolvers that do not support `exports`.
 */
export async function buildClient(outDir: string): Promise<void> {
  const cjsDir = path.join(outDir, 'cjs');
  await rm(outDir, { recursive: true, force: true });
  await Promise.all([buildJavascript(outDir, cjsDir), buildDeclarations([outDir, cjsDir])]);
  await writeFile(path.join(cjsDir, 'package.json'), '{ "type": "commonjs" }\n');
}

if (import.meta.main) await Promise.all([buildClient(path.join(packageDir, 'dist')), updateReadme()]);
