import { mkdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { isolatedDeclarationSync } from 'rolldown/experimental';
import { describeApi } from './describe-api.ts';
import { printTypes } from './print-types.ts';
import { packageDir, sourceNames } from './sources.ts';

/** One `.d.ts` per source file. `contract.ts`, which reaches into the service, is printed as plain types instead. */
export async function buildDeclarations(outDir: string): Promise<void> {
  await mkdir(outDir, { recursive: true });
  for (const name of await sourceNames()) {
    const source = path.join(packageDir, `${name}.ts`);
    const text = name === 'contract' ? printTypes(source, describeApi) : await declarationsOf(source);
    await writeFile(path.join(outDir, `${name}.d.ts`), text);
  }
}

async function declarationsOf(source: string): Promise<string> {
  const { code, errors } = isolatedDeclarationSync(source, await readFile(source, 'utf8'));
  if (errors.length > 0) throw new Error(`${source}: ${errors.map(({ message }) => message).join('; ')}`);
  return code.replace(/(from "\.\/[\w-]+)\.ts"/g, '$1.js"');
}
