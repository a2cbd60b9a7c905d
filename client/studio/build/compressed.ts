import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, gzip } from 'node:zlib';
import type { Plugin } from 'vite';

const compressible = /\.(js|css|svg)$/;

/** Puts compressed copies beside each script and style, so that no request has to wait for one. */
export const compressed = (): Plugin => ({
  name: 'compressed-copies',
  apply: 'build',
  // By then every plugin has put its last word into the code.
  async writeBundle({ dir = '' }, bundle) {
    const parts = Object.values(bundle).filter(({ fileName }) => compressible.test(fileName));
    await Promise.all(
      parts.map(async (part) => {
        const content = part.type === 'chunk' ? part.code : part.source;
        const file = join(dir, part.fileName);
        await writeFile(`${file}.gz`, await promisify(gzip)(content, { level: 9 }));
        // A sixth smaller, for browsers over https.
        await writeFile(`${file}.br`, await promisify(brotliCompress)(content));
      }),
    );
  },
});
