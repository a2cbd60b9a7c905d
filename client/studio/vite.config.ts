import { writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, gzip } from 'node:zlib';
import react from '@vitejs/plugin-react';
import { defineConfig, type Plugin } from 'vite';

/** Placeholder in the built page, which the server replaces by a nonce for each answer. */
const noncePlaceholder = '__CSP_NONCE__';

const compressible = /\.(js|css|svg)$/;

/** Adds compressed copies of scripts, styles and SVG files, so that requests do not wait for compression. */
const compressed = (): Plugin => ({
  name: 'compressed-copies',
  apply: 'build',
  // At this point all plugins have finished changing the code.
  async writeBundle({ dir = '' }, bundle) {
    const parts = Object.values(bundle).filter(({ fileName }) => compressible.test(fileName));
    await Promise.all(
      parts.map(async (part) => {
        const content = part.type === 'chunk' ? part.code : part.source;
        const file = join(dir, part.fileName);
        await writeFile(`${file}.gz`, await promisify(gzip)(content, { level: 9 }));
        // Brotli is about a sixth smaller than gzip; browsers accept it over HTTPS only.
        await writeFile(`${file}.br`, await promisify(brotliCompress)(content));
      }),
    );
  },
});

/**
 * Imports each Mantine component's own styles, since all styles together are seven times as large as a first visit needs.
 * They are in a layer, so that the studio's styles override them in any order.
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
  // Resolve the client package's imports from the studio, because the client's own may not be installed.
  resolve: { dedupe: ['@trpc/client', '@trpc/server', 'zod'] },
  css: { transformer: 'lightningcss' },
  build: {
    target: 'es2023',
    // The content security policy allows no `data:` scripts and fonts, so every asset is a file.
    assetsInlineLimit: 0,
    reportCompressedSize: false,
    modulePreload: { polyfill: false },
    chunkSizeWarningLimit: 1_000,
    rolldownOptions: {
      // Reads only the icons in use: the index of their package lists 6,000.
      experimental: { lazyBarrel: true },
      // One file for the first screens and one for code shared by two or more others: slow connections need few requests,
      // and browsers run six at a time.
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
