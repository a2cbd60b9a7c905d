import { useNavigate, useSearch } from '@tanstack/react-router';
import type { SearchParams } from '../app/search-params.ts';

/** What the address of a list asks for, and how to ask for something else. */
export function useAsked() {
  const search: SearchParams = useSearch({ strict: false });
  const navigate = useNavigate();
  return {
    /** What is asked by this name; undefined when nothing is. */
    asked: (name: string): string | undefined => [search[name]].flat()[0] || undefined,
    isNarrowed: Object.values(search).some(Boolean),
    change: (changes: SearchParams) =>
      void navigate({ to: '.', search: { ...search, ...changes }, replace: true }),
    clear: () => void navigate({ to: '.', search: {}, replace: true }),
  };
}

/** One of the choices, as far as it is one. */
export const oneOf = <const Choice extends string>(choices: readonly Choice[], asked: string | undefined) =>
  choices.find((choice) => choice === asked);
