import { useWindowEvent } from '@mantine/hooks';
import { type RefObject, useRef } from 'react';

interface RowKeys {
  /** Search input, focused by `/`. */
  searchRef: RefObject<HTMLInputElement | null>;
  onToggle(id: string): void;
  /** Called on Escape. */
  onClear(): void;
  /** Called on a step beyond the first (-1) or last (1) row. */
  onBeyond(direction: -1 | 1): void;
}

/**
 * Adds shortcuts to a table: arrow keys or K and J move between rows, X selects the focused row, and `/` focuses the search.
 */
export function useRowKeys({ searchRef, onToggle, onClear, onBeyond }: RowKeys) {
  const table = useRef<HTMLTableElement>(null);
  const links = () => [...(table.current?.querySelectorAll<HTMLAnchorElement>('[data-row]') ?? [])];
  const focusRow = (which: 'first' | 'last') =>
    links()
      .at(which === 'first' ? 0 : -1)
      ?.focus();
  const at = () => links().findIndex((link) => link.closest('tr')?.contains(document.activeElement));
  const step = (by: -1 | 1) => {
    const all = links();
    const present = at();
    const next = present < 0 ? 0 : present + by;
    if (next < 0 || next >= all.length) onBeyond(by);
    else all[next]?.focus();
  };
  const choose = () => {
    const id = links()[at()]?.dataset.row;
    if (id) onToggle(id);
  };
  const actions: Partial<Record<string, () => void>> = {
    ArrowDown: () => step(1),
    j: () => step(1),
    ArrowUp: () => step(-1),
    k: () => step(-1),
    x: choose,
    '/': () => searchRef.current?.select(),
    Escape: onClear,
  };
  useWindowEvent('keydown', (event) => {
    const action = isForRows(event) ? actions[event.key] : undefined;
    if (!action) return;
    event.preventDefault();
    action();
  });
  return { table, focusRow };
}

/** True if no input, menu or dialog uses the key. */
function isForRows({ target, defaultPrevented, ctrlKey, metaKey, altKey }: KeyboardEvent): boolean {
  if (defaultPrevented || ctrlKey || metaKey || altKey || !(target instanceof Element)) return false;
  if (target.closest('[role=menu], [role=dialog], [role=listbox], [contenteditable=true]')) return false;
  return target.matches('input[type=checkbox]') || !target.matches('input, textarea, select');
}
