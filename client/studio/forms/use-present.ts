import { useCallback, useRef, useState } from 'react';

/** State that can also be read as it is now: by what was begun before the screen was last drawn, or ends when it is gone. */
export function usePresent<Value>(initial: Value | (() => Value)) {
  const [drawn, setDrawn] = useState(initial);
  const present = useRef(drawn);
  const change = useCallback((next: (known: Value) => Value) => {
    const value = next(present.current);
    present.current = value;
    setDrawn(() => value);
  }, []);
  const read = useCallback(() => present.current, []);
  return [drawn, change, read] as const;
}
