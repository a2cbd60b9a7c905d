import { CloseButton, TextInput } from '@mantine/core';
import type { KeyboardEvent, RefObject } from 'react';
import { texts } from '../../texts/texts.ts';
import { IconSearch } from '../../ui/icons.ts';
import { useTypedWords } from '../../ui/use-typed-words.ts';
import classes from './list-toolbar.module.css';
import { useListAddress } from './use-list-address.ts';

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
