import { CloseButton, TextInput } from '@mantine/core';
import { useDebouncedCallback } from '@mantine/hooks';
import { type KeyboardEvent, type RefObject, useEffect, useRef, useState } from 'react';
import { texts } from '../../strings/texts.ts';
import { IconSearch } from '../../ui/icons.ts';
import classes from './list-toolbar.module.css';
import { useListAddress } from './use-list-page.ts';

interface WordsInputProps {
  label: string;
  /** Of a list that is gone through by keys, where one of them leads here. */
  inputRef?: RefObject<HTMLInputElement | null>;
  /** Down from the words that are looked for. */
  onLeave?(): void;
}

/** Words that a list is asked for as soon as typing pauses. */
export function WordsInput({ label, inputRef, onLeave }: WordsInputProps) {
  const { param, change } = useListAddress();
  const [typed, type] = useTypedWords(param('q') ?? '', (q) => change({ q }));
  const onKeyDown = (event: KeyboardEvent<HTMLInputElement>) => {
    if (event.key === 'Escape' && typed !== '') type('');
    else if (event.key === 'Escape') event.currentTarget.blur();
    else if (onLeave && (event.key === 'ArrowDown' || event.key === 'Enter')) onLeave();
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  const shortcut = inputRef && <kbd className={classes.key}>{texts.lists.searchKey}</kbd>;
  return (
    <TextInput
      ref={inputRef ?? null}
      size="xs"
      type="search"
      className={classes.words}
      aria-label={label}
      {...(inputRef && { 'aria-keyshortcuts': texts.lists.searchKey })}
      placeholder={label}
      leftSection={<IconSearch size={14} aria-hidden />}
      rightSection={
        typed === '' ? (
          shortcut
        ) : (
          <CloseButton size="xs" aria-label={texts.lists.clearSearch} onClick={() => type('')} />
        )
      }
      value={typed}
      onChange={({ currentTarget }) => type(currentTarget.value)}
      onKeyDown={onKeyDown}
    />
  );
}

const pauseMs = 200;

/**
 * Words that are asked for as soon as typing pauses. `shown` are those of the address, which may also change without a key:
 * by a link, the way back, or a filter that is cleared.
 */
function useTypedWords(shown: string, onAsk: (words: string) => void) {
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
