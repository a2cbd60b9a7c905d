import { mkdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { isolatedDeclarationSync } from 'rolldown/experimental';
import { z } from 'zod';
import { type Procedure, proceduresOf } from '../../../server/api/procedures.ts';
import { appRouter } from '../../../server/api/router/app-router.ts';
import { printTypes } from './print-types.ts';
import { packageDir } from './sources.ts';

/** Writes the declarations of `index.ts` and its imports into each folder, one `.d.ts` per source file. */
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

/** Prints `contract.ts`, which imports from the service, as plain types. */
async function declarationsOf(name: string): Promise<string> {
  const source = path.join(packageDir, `${name}.ts`);
  if (name === 'contract') return printTypes(source, describeApi);
  const { code, errors } = isolatedDeclarationSync(source, await readFile(source, 'utf8'));
  if (errors.length > 0) throw new Error(`${source}: ${errors.map(({ message }) => message).join('; ')}`);
  return code;
}

/**
 * Finds the description of a procedure, or of a field of its input or output, by the path to it: `['Api', 'v1',
 * 'posts', 'list', 'input', 'limit']`. Undefined for an unknown path and for one without a description.
 */
function describeApi([, ...path]: readonly string[]): string | undefined {
  const side = path.findIndex((name) => name === 'input' || name === 'output');
  const procedure = procedures.get(path.slice(0, side < 0 ? path.length : side).join('.'));
  if (!procedure) return undefined;
  if (side < 0) return procedure.meta.openapi?.summary;
  const root = schemaOf(procedure, path[side] === 'input');
  const found = path.slice(side + 1).reduce(fieldOf, root);
  return found && variants(found).find(({ description }) => description)?.description;
}

const procedures = proceduresOf(appRouter);

type Schema = z.core.JSONSchema.JSONSchema;

function schemaOf({ input, output }: Procedure, ofInput: boolean): Schema | undefined {
  const parser = ofInput ? input : output;
  const io = ofInput ? 'input' : 'output';
  return parser && z.toJSONSchema(parser, { io, unrepresentable: 'any' });
}

const fieldOf = (schema: Schema | undefined, name: string): Schema | undefined =>
  schema &&
  variants(schema)
    .map(({ properties }) => properties?.[name])
    .find(isSchema);

/** Returns a schema with its alternatives and list items. */
function variants(schema: Schema): Schema[] {
  const inner = [...(schema.anyOf ?? []), schema.items].flat();
  return [schema, ...inner.filter(isSchema).flatMap(variants)];
}

const isSchema = (part: unknown): part is Schema => typeof part === 'object' && part !== null;
