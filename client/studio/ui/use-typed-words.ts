import { useDebouncedCallback } from '@mantine/hooks';
import { useEffect, useRef, useState } from 'react';

const pauseMs = 200;

/**
 * Words that are asked for as soon as typing pauses. `shown` are those of the address, which may also change without a key:
 * by a link, the way back, or a filter that is cleared.
 */
export function useTypedWords(shown: string, onAsk: (words: string) => void) {
  const [typed, setTyped] = useState(shown);
  /** Asked for, and not in the address yet: typing goes on meanwhile, and what comes of itself must not undo it. */
  const underWay = useRef<string[]>([]);
  const ask = useDebouncedCallback((words: string) => {
    if (words === (underWay.current.at(-1) ?? shown)) return;
    underWay.current.push(words);
    onAsk(words);
  }, pauseMs);
  useEffect(() => {
    const arrived = underWay.current.indexOf(shown);
    underWay.current = arrived < 0 ? [] : underWay.current.slice(arrived + 1);
    if (arrived >= 0) return;
    ask.cancel();
    setTyped(shown);
  }, [shown, ask]);
  const type = (words: string) => {
    setTyped(words);
    ask(words.trim());
  };
  return [typed, type] as const;
}
