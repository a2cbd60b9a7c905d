import { writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, gzip } from 'node:zlib';
import react from '@vitejs/plugin-react';
import { defineConfig, type Plugin } from 'vite';

/** Stands in the built page for the nonce of each answer; the server puts one in its place. */
const noncePlaceholder = '__CSP_NONCE__';

const compressible = /\.(js|css|svg)$/;

/** Puts compressed copies beside each script and style, so that no request has to wait for one. */
const compressed = (): Plugin => ({
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

/**
 * Brings each component of Mantine with its own styles: those of all are seven times what a first visit shows. They are in a layer,
 * so that the studio's own stand above them in whichever order they arrive.
 */
const mantineStyles = (): Plugin => ({
  name: 'mantine-styles',
  transform: {
    filter: { id: /@mantine\/core\/esm\/.*\.module\.mjs$/ },
    handler: (code, id) => `import '@mantine/core/styles/${basename(id, '.module.mjs')}.layer.css';\n${code}`,
  },
});

export default defineConfig({
  root: import.meta.dirname,
  base: '/studio/',
  plugins: [react(), mantineStyles(), compressed()],
  html: { cspNonce: noncePlaceholder },
  // The client package lies beside the studio: what it imports is the studio's, whether or not its own is installed.
  resolve: { dedupe: ['@trpc/client', '@trpc/server', 'zod'] },
  css: { transformer: 'lightningcss' },
  build: {
    target: 'es2023',
    // A policy without `data:` scripts and fonts takes every asset from a file.
    assetsInlineLimit: 0,
    reportCompressedSize: false,
    modulePreload: { polyfill: false },
    chunkSizeWarningLimit: 1_000,
    rolldownOptions: {
      // To a phone that is far away each file is a journey, and no more than six are on the way at once: what the first screens
      // need is one, and what any two of the others share is another.
      output: {
        codeSplitting: {
          groups: [
            { name: 'first', tags: ['$initial'] },
            { name: 'shared', minShareCount: 2 },
          ],
        },
      },
    },
  },
});
