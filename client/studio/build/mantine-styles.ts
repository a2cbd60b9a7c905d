import { basename } from 'node:path';
import type { Plugin } from 'vite';

/**
 * Brings each component of Mantine with its own styles: those of all are seven times what a first visit shows. They are in a layer,
 * so that the studio's own stand above them in whichever order they arrive.
 */
export const mantineStyles = (): Plugin => ({
  name: 'mantine-styles',
  transform: {
    filter: { id: /@mantine\/core\/esm\/.*\.module\.mjs$/ },
    handler: (code, id) => `import '@mantine/core/styles/${basename(id, '.module.mjs')}.layer.css';\n${code}`,
  },
});
