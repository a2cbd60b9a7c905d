import { mkdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { type OutputChunk, type OutputOptions, type Plugin, rolldown } from 'rolldown';
import { eventShapes } from '../event-shapes.ts';
import { packageDir, sourceNames } from './sources.ts';

/**
 * Writes the JavaScript of the package. tRPC is bundled: as a dependency, it would install the TypeScript compiler, its peer
 * dependency. There is one ECMAScript module per source file, so that bundlers can omit unused ones. The command is one
 * file.
 */
export async function buildJavascript(outDir: string, cjsDir: string): Promise<void> {
  const modules = await bundle(await sourceNames(), {
    chunkFileNames: '[name].js',
    codeSplitting: { groups: [{ name: 'libraries', test: /node_modules/ }] },
    minifyInternalExports: false,
  });
  const commonJs = await bundle(['index'], { format: 'cjs' });
  const command = await bundle(['bin/main'], { entryFileNames: 'bin.js' }, 'node');
  await Promise.all([writeChunks([...modules, ...command], outDir), writeChunks(commonJs, cjsDir)]);
  const licenses = await licensesOf([...modules, ...command].flatMap(({ moduleIds }) => moduleIds));
  await writeFile(path.join(outDir, 'THIRD-PARTY-LICENSES.txt'), licenses);
}

async function bundle(
  names: readonly string[],
  options: OutputOptions,
  platform: 'neutral' | 'node' = 'neutral',
): Promise<OutputChunk[]> {
  const input = Object.fromEntries(names.map((name) => [name, path.join(packageDir, `${name}.ts`)]));
  await using build = await rolldown({
    input,
    platform,
    cwd: packageDir,
    preserveEntrySignatures: 'allow-extension',
    plugins: [shapesAsValue],
  });
  const { output } = await build.generate(options);
  return output.filter((part) => part.type === 'chunk');
}

/**
 * Replaces `eventShapes` by its value. It is computed from the contract, which needs Zod, and the package contains no
 * Zod.
 */
const shapesAsValue: Plugin = {
  name: 'shapes-as-value',
  load: (id) =>
    id === path.join(packageDir, 'event-shapes.ts')
      ? `export const eventShapes = ${JSON.stringify(eventShapes)};`
      : null,
};

async function writeChunks(chunks: readonly OutputChunk[], outDir: string) {
  await mkdir(outDir, { recursive: true });
  const written = chunks
    .filter(({ code }) => code !== '')
    .map(({ fileName, code }) => writeFile(path.join(outDir, fileName), code));
  await Promise.all(written);
}

const packageOf = /^(.*\/node_modules\/((?:@[^/]+\/)?[^/]+))\//;

/** Collects the licenses of the packages in these modules, which must accompany every copy. */
async function licensesOf(modules: readonly string[]): Promise<string> {
  const packages = modules.flatMap((id) => {
    const [, dir, name] = packageOf.exec(id) ?? [];
    return dir && name ? [[name, dir] as const] : [];
  });
  const texts = [...new Map(packages)].map(
    async ([name, dir]) => `${name}\n\n${await readFile(path.join(dir, 'LICENSE'), 'utf8')}`,
  );
  return (await Promise.all(texts)).join('\n---\n\n');
}
