import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';
import { compressed } from './build/compressed.ts';
import { noncePlaceholder } from './build/nonce-placeholder.ts';

export default defineConfig({
  root: import.meta.dirname,
  base: '/studio/',
  plugins: [react(), compressed()],
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
      // To a phone that is far away each file is a journey: what every visit needs is one, and so is what most screens share.
      output: {
        codeSplitting: {
          groups: [
            { name: 'first', tags: ['$initial'] },
            { name: 'often', minShareCount: 14 },
          ],
        },
      },
    },
  },
});
