import { mkdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { isolatedDeclarationSync } from 'rolldown/experimental';
import { describeApi } from './describe-api.ts';
import { printTypes } from './print-types.ts';
import { packageDir } from './sources.ts';

/** The declarations that `index.ts` leads to, one `.d.ts` a source file, into each of the folders. */
export async function buildDeclarations(outDirs: readonly string[]): Promise<void> {
  const texts = await declarationsFrom('index');
  for (const outDir of outDirs) {
    await mkdir(outDir, { recursive: true });
    for (const [name, text] of texts) await writeFile(path.join(outDir, `${name}.d.ts`), text);
  }
}

async function declarationsFrom(entry: string): Promise<ReadonlyMap<string, string>> {
  const texts = new Map<string, string>();
  const names = [entry];
  for (const name of names) {
    const text = await declarationsOf(name);
    texts.set(name, text.replaceAll(ownImport, '$1.js"'));
    const imported = [...text.matchAll(ownImport)].map(([, , module = '']) => module);
    names.push(...imported.filter((module) => !names.includes(module)));
  }
  return texts;
}

const ownImport = /(from "\.\/([\w-]+))\.ts"/g;

/** `contract.ts`, which reaches into the service, is printed as plain types. */
async function declarationsOf(name: string): Promise<string> {
  const source = path.join(packageDir, `${name}.ts`);
  if (name === 'contract') return printTypes(source, describeApi);
  const { code, errors } = isolatedDeclarationSync(source, await readFile(source, 'utf8'));
  if (errors.length > 0) throw new Error(`${source}: ${errors.map(({ message }) => message).join('; ')}`);
  return code;
}
