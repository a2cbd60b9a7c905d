import { useEffect, useState } from 'react';

/** Longer than between the two presses of a double click. */
const settleMs = 700;

/**
 * Whether the page has been in front for a moment: a press that was meant for a window before it, which another page may have opened
 * and closed for that, allows nothing.
 */
export function useSettled(): boolean {
  const [isSettled, setSettled] = useState(false);
  useEffect(() => {
    let timer: number | undefined;
    const begin = () => {
      window.clearTimeout(timer);
      setSettled(false);
      timer = window.setTimeout(() => setSettled(true), settleMs);
    };
    begin();
    window.addEventListener('focus', begin);
    return () => {
      window.clearTimeout(timer);
      window.removeEventListener('focus', begin);
    };
  }, []);
  return isSettled;
}
