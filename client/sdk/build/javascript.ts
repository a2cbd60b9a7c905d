import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { rolldown } from 'rolldown';
import { licensesOf } from './licenses.ts';
import { packageDir, sourceNames } from './sources.ts';

/**
 * One module per source file, so that bundlers leave out what is not used, and one for tRPC and superjson. They are
 * bundled in: as dependencies they would bring the TypeScript compiler into every installation, which tRPC asks for.
 */
export async function buildJavascript(outDir: string): Promise<void> {
  const names = await sourceNames();
  const input = Object.fromEntries(names.map((name) => [name, path.join(packageDir, `${name}.ts`)]));
  const bundle = await rolldown({ input, platform: 'neutral', cwd: packageDir });
  const { output } = await bundle.generate({
    chunkFileNames: '[name].js',
    codeSplitting: { groups: [{ name: 'libraries', test: /node_modules/ }] },
    minifyInternalExports: false,
  });
  await bundle.close();
  await mkdir(outDir, { recursive: true });
  const chunks = output.filter((part) => part.type === 'chunk');
  const written = chunks
    .filter(({ code }) => code !== '')
    .map(({ fileName, code }) => writeFile(path.join(outDir, fileName), code));
  const licenses = await licensesOf(chunks.flatMap(({ moduleIds }) => moduleIds));
  await Promise.all([...written, writeFile(path.join(outDir, 'THIRD-PARTY-LICENSES.txt'), licenses)]);
}
