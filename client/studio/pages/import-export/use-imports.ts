import { createSafeContext } from '@mantine/core';
import { useStore } from '../../ui/store.ts';
import type { ImportState, Imports } from './imports.ts';

const [ImportsProvider, useProvided] = createSafeContext<Imports>('no ImportsProvider above');

export { ImportsProvider };

/** The import of this tab, and how far it is. */
export function useImports(): [ImportState, Imports] {
  const imports = useProvided();
  return [useStore(imports), imports];
}
