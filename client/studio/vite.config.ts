import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';
import { compressed } from './build/compressed.ts';
import { mantineStyles } from './build/mantine-styles.ts';

/** Stands in the built page for the nonce of each answer; the server puts one in its place. */
const noncePlaceholder = '__CSP_NONCE__';

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
