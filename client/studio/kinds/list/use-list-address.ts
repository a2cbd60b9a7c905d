import { useNavigate, useSearch } from '@tanstack/react-router';
import type { SearchParams } from '../../data/search-params.ts';

/** What the address of a list asks for, and how to ask for something else: from its first page on. */
export function useListAddress() {
  const search: SearchParams = useSearch({ strict: false });
  const navigate = useNavigate();
  const go = (next: SearchParams) => void navigate({ to: '.', search: next, replace: true });
  const { page, sort, ...narrowing } = search;
  return {
    search,
    /** What is asked by this name; undefined when nothing is. */
    param: (name: string): string | undefined => [search[name]].flat()[0] || undefined,
    page: Math.max(1, Math.trunc(Number(page)) || 1),
    isNarrowed: Object.values(narrowing).some(Boolean),
    change: (changes: SearchParams) => go({ ...search, page: undefined, ...changes }),
    goTo: (next: number) => go({ ...search, page: next === 1 ? undefined : String(next) }),
    /** Everything, in the order that it has. */
    clear: () => go({ sort }),
  };
}

/** One of the choices, as far as it is one. */
export const oneOf = <const Choice extends string>(choices: readonly Choice[], given: string | undefined) =>
  choices.find((choice) => choice === given);
