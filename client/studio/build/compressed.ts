import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { Plugin } from 'vite';

const compressible = /\.(js|css|svg)$/;

/** Puts a gzipped copy beside each script and style, so that no request has to wait for one. */
export const compressed = (): Plugin => ({
  name: 'compressed-copies',
  apply: 'build',
  // By then every plugin has put its last word into the code.
  async writeBundle({ dir = '' }, bundle) {
    const parts = Object.values(bundle).filter(({ fileName }) => compressible.test(fileName));
    await Promise.all(
      parts.map(async (part) => {
        const zipped = await promisify(gzip)(part.type === 'chunk' ? part.code : part.source, { level: 9 });
        await writeFile(join(dir, `${part.fileName}.gz`), zipped);
      }),
    );
  },
});
