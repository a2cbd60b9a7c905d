import { rm } from 'node:fs/promises';
import { buildDeclarations } from './declarations.ts';
import { buildJavascript } from './javascript.ts';

/** Writes the package as it is published into `outDir`, which is emptied first. */
export async function buildClient(outDir: string): Promise<void> {
  await rm(outDir, { recursive: true, force: true });
  await Promise.all([buildJavascript(outDir), buildDeclarations(outDir)]);
}

if (import.meta.main) await buildClient(new URL('../dist', import.meta.url).pathname);
