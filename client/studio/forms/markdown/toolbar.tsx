import type { EditorView } from '@codemirror/view';
import { ActionIcon, FileButton, Menu, Tooltip } from '@mantine/core';
import {
  type Icon,
  IconBlockquote,
  IconBold,
  IconCode,
  IconDots,
  IconHeading,
  IconItalic,
  IconLink,
  IconList,
  IconListNumbers,
  IconMinus,
  IconPhotoPlus,
  IconTable,
} from '@tabler/icons-react';
import { type RefObject, useRef, useState } from 'react';
import { strings } from '../../strings/ui-strings.ts';
import { isMac } from '../../ui/use-command-key.ts';
import { type CommandName, commandKeys, commands } from './commands.ts';
import classes from './markdown-editor.module.css';

const buttons: readonly (readonly [CommandName, Icon])[] = [
  ['heading', IconHeading],
  ['bold', IconBold],
  ['italic', IconItalic],
  ['link', IconLink],
  ['list', IconList],
  ['quote', IconBlockquote],
];

/** Commands in the menu, because a phone has no room for their buttons. */
const further: readonly (readonly [CommandName, Icon])[] = [
  ['numbers', IconListNumbers],
  ['table', IconTable],
  ['divider', IconMinus],
  ['code', IconCode],
];

/**
 * Number of buttons before the button for files; the other buttons follow it. The last ones are out of sight if there
 * is no room.
 */
const seldom = buttons.findIndex(([name]) => name === 'list');

const keyText = (key: string) =>
  key
    .split('-')
    .map((part) => (part === 'Mod' ? (isMac ? '⌘' : 'Ctrl') : part.toUpperCase()))
    .join(isMac ? '' : '+');

interface ToolbarProps {
  view: RefObject<EditorView | null>;
  /** Inserts files at an offset of the text. */
  insertFiles(files: readonly File[], view: EditorView, at: number): void;
}

/** Buttons for Markdown commands, with the same effect as their shortcuts. */
export function Toolbar({ view, insertFiles }: ToolbarProps) {
  const run = (name: CommandName) => {
    if (!view.current) return;
    commands[name](view.current);
    view.current.focus();
  };
  const forgetChoice = useRef<() => void>(null);
  const insert = (files: File[]) => {
    // Reset the input, or the same file could not be chosen again.
    forgetChoice.current?.();
    if (!view.current) return;
    insertFiles(files, view.current, view.current.state.selection.main.head);
    view.current.focus();
  };
  // A chosen command moves the focus to the text, so the menu must not take it back.
  const [isChosen, setChosen] = useState(false);
  const shown = buttons.map(([name, ButtonIcon]) => {
    const key = commandKeys[name];
    const label = strings.editor.commands[name];
    return (
      <Tooltip key={name} label={key ? `${label} · ${keyText(key)}` : label}>
        <ActionIcon aria-label={label} size={30} onClick={() => run(name)}>
          <ButtonIcon size={17} stroke={1.7} />
        </ActionIcon>
      </Tooltip>
    );
  });
  return (
    <div className={classes.buttons} role="toolbar" aria-label={strings.editor.format}>
      {shown.slice(0, seldom)}
      <FileButton multiple resetRef={forgetChoice} onChange={insert}>
        {(props) => (
          <Tooltip label={strings.editor.insertFile}>
            <ActionIcon {...props} aria-label={strings.editor.insertFile} size={30}>
              <IconPhotoPlus size={17} stroke={1.7} />
            </ActionIcon>
          </Tooltip>
        )}
      </FileButton>
      {shown.slice(seldom)}
      <Menu shadow="md" returnFocus={!isChosen} onOpen={() => setChosen(false)}>
        <Menu.Target>
          <ActionIcon aria-label={strings.editor.more} size={30}>
            <IconDots size={17} stroke={1.7} />
          </ActionIcon>
        </Menu.Target>
        <Menu.Dropdown>
          {further.map(([name, ItemIcon]) => (
            <Menu.Item
              key={name}
              leftSection={<ItemIcon size={15} stroke={1.7} />}
              rightSection={commandKeys[name] && keyText(commandKeys[name])}
              onClick={() => {
                setChosen(true);
                run(name);
              }}
            >
              {strings.editor.commands[name]}
            </Menu.Item>
          ))}
        </Menu.Dropdown>
      </Menu>
    </div>
  );
}
