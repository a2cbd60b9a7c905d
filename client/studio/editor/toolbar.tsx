import type { EditorView } from '@codemirror/view';
import { ActionIcon, Tooltip } from '@mantine/core';
import type { RefObject } from 'react';
import { texts } from '../texts/texts.ts';
import {
  type Icon,
  IconBlockquote,
  IconBold,
  IconCode,
  IconHeading,
  IconItalic,
  IconLink,
  IconList,
} from '../ui/icons.ts';
import { isMac } from '../ui/is-mac.ts';
import { type CommandName, commandKeys, commands } from './commands.ts';
import classes from './markdown-editor.module.css';

const buttons: readonly (readonly [CommandName, Icon])[] = [
  ['heading', IconHeading],
  ['bold', IconBold],
  ['italic', IconItalic],
  ['link', IconLink],
  ['list', IconList],
  ['quote', IconBlockquote],
  ['code', IconCode],
];

const keyText = (key: string) =>
  key
    .split('-')
    .map((part) => (part === 'Mod' ? (isMac ? '⌘' : 'Ctrl') : part.toUpperCase()))
    .join(isMac ? '' : '+');

/** What Markdown's marks are for those who don't know them; each does what its key does. */
export function Toolbar({ view }: { view: RefObject<EditorView | null> }) {
  const run = (name: CommandName) => {
    if (!view.current) return;
    commands[name](view.current);
    view.current.focus();
  };
  return (
    <div className={classes.buttons} role="toolbar" aria-label={texts.editor.format}>
      {buttons.map(([name, ButtonIcon]) => {
        const key = commandKeys[name];
        const label = texts.editor.commands[name];
        return (
          <Tooltip key={name} label={key ? `${label} · ${keyText(key)}` : label}>
            <ActionIcon aria-label={label} size={30} onClick={() => run(name)}>
              <ButtonIcon size={17} stroke={1.7} />
            </ActionIcon>
          </Tooltip>
        );
      })}
    </div>
  );
}
