import { createContext, useContext, useSyncExternalStore } from 'react';
import type { ImportState, Imports } from './imports.ts';

const ImportsContext = createContext<Imports | null>(null);

export const ImportsProvider = ImportsContext.Provider;

/** The import of this tab, and how far it is. */
export function useImports(): [ImportState, Imports] {
  const imports = useContext(ImportsContext);
  if (!imports) throw new Error('no ImportsProvider above');
  return [useSyncExternalStore(imports.subscribe, imports.get), imports];
}
