import { useHotkeys } from '@mantine/hooks';
import { useRef } from 'react';

/** Up, down (or K, J) go through a table's rows, X chooses the one that has the focus. */
export function useRowKeys({ onToggle }: { onToggle(id: string): void }) {
  const table = useRef<HTMLTableElement>(null);
  const links = () => [...(table.current?.querySelectorAll<HTMLAnchorElement>('[data-row]') ?? [])];
  const step = (by: number) => {
    const all = links();
    const at = all.findIndex((link) => link.matches(':focus'));
    all[at < 0 ? 0 : Math.min(Math.max(at + by, 0), all.length - 1)]?.focus();
  };
  const choose = () => {
    const focused = links().find((link) => link === document.activeElement);
    const id = focused?.pathname.split('/').at(-1);
    if (id) onToggle(id);
  };
  useHotkeys([
    ['ArrowDown', () => step(1)],
    ['J', () => step(1)],
    ['ArrowUp', () => step(-1)],
    ['K', () => step(-1)],
    ['X', choose],
  ]);
  return table;
}
