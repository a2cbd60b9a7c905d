import { CloseButton, TextInput } from '@mantine/core';
import { useDebouncedCallback } from '@mantine/hooks';
import { IconSearch } from '@tabler/icons-react';
import { type KeyboardEvent, type RefObject, useEffect, useRef, useState } from 'react';
import { strings } from '../../strings/ui-strings.ts';
import classes from './list-toolbar.module.css';
import { useListAddress } from './use-list-page.ts';

interface SearchInputProps {
  label: string;
  /** Ref of the input for lists with keyboard navigation, where `/` focuses it. */
  inputRef?: RefObject<HTMLInputElement | null>;
  /** Moves the focus from the search input into the rows. */
  onLeave?(): void;
}

/** Search input of a list. The list updates when typing pauses. */
export function SearchInput({ label, inputRef, onLeave }: SearchInputProps) {
  const { param, change } = useListAddress();
  const [typed, type] = useTypedQuery(param('q') ?? '', (q) => change({ q }));
  const onKeyDown = (event: KeyboardEvent<HTMLInputElement>) => {
    if (event.key === 'Escape' && typed !== '') type('');
    else if (event.key === 'Escape') event.currentTarget.blur();
    else if (onLeave && (event.key === 'ArrowDown' || event.key === 'Enter')) onLeave();
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  const shortcut = inputRef && <kbd className={classes.key}>{strings.lists.searchKey}</kbd>;
  return (
    <TextInput
      ref={inputRef ?? null}
      size="xs"
      type="search"
      className={classes.words}
      aria-label={label}
      {...(inputRef && { 'aria-keyshortcuts': strings.lists.searchKey })}
      placeholder={label}
      leftSection={<IconSearch size={14} aria-hidden />}
      rightSection={
        typed === '' ? (
          shortcut
        ) : (
          <CloseButton size="xs" aria-label={strings.lists.clearSearch} onClick={() => type('')} />
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
 * Returns typed search text, and reports it when typing pauses. `shown` is the text in the address, which also changes by
 * links, Back and cleared filters; such a change replaces the typed text.
 */
function useTypedQuery(shown: string, onAsk: (query: string) => void) {
  const [typed, setTyped] = useState(shown);
  /** Reported texts that the address does not show yet. When one arrives there, it must not replace text typed since. */
  const underWay = useRef<string[]>([]);
  const search = useDebouncedCallback((query: string) => {
    if (query === (underWay.current.at(-1) ?? shown)) return;
    underWay.current.push(query);
    onAsk(query);
  }, pauseMs);
  useEffect(() => {
    const arrived = underWay.current.indexOf(shown);
    underWay.current = arrived < 0 ? [] : underWay.current.slice(arrived + 1);
    if (arrived >= 0) return;
    search.cancel();
    setTyped(shown);
  }, [shown, search]);
  const type = (query: string) => {
    setTyped(query);
    search(query.trim());
  };
  return [typed, type] as const;
}
