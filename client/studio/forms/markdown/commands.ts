import { EditorSelection, type StateCommand } from '@codemirror/state';
import type { KeyBinding } from '@codemirror/view';
import { keysOf } from '../../../../shared/contract/names-of.ts';

/** Puts `mark` around each selection, or removes it if it is already there. */
const wrap =
  (mark: string): StateCommand =>
  ({ state, dispatch }) => {
    const size = mark.length;
    const changed = state.changeByRange(({ from, to }) => {
      const isWrapped = state.sliceDoc(from - size, from) === mark && state.sliceDoc(to, to + size) === mark;
      const changes = isWrapped
        ? [
            { from: from - size, to: from },
            { from: to, to: to + size },
          ]
        : [
            { from, insert: mark },
            { from: to, insert: mark },
          ];
      const shift = isWrapped ? -size : size;
      return { changes, range: EditorSelection.range(from + shift, to + shift) };
    });
    dispatch(state.update(changed, { scrollIntoView: true, userEvent: 'input' }));
    return true;
  };

/** Puts a mark at the start of each selected line, or removes it if it is already there. */
const prefix =
  (mark: string | ((at: number) => string), like = new RegExp(`^${mark}`)): StateCommand =>
  ({ state, dispatch }) => {
    const lines = new Map(
      state.selection.ranges.flatMap(({ from, to }) => {
        const [first, last] = [state.doc.lineAt(from).number, state.doc.lineAt(to).number];
        return Array.from({ length: last - first + 1 }, (_, index) => [first + index, true] as const);
      }),
    );
    const changes = [...lines.keys()].map((number, at) => {
      const { from, text } = state.doc.line(number);
      const [begun] = like.exec(text) ?? [];
      if (begun) return { from, to: from + begun.length };
      return { from, insert: typeof mark === 'string' ? mark : mark(at) };
    });
    const done = state.changes(changes);
    dispatch(state.update({ changes: done, selection: state.selection.map(done, 1), userEvent: 'input' }));
    return true;
  };

/** Inserts `lines` below the current line. `cursor` is the cursor's offset in them. */
const block =
  (lines: string, cursor: number): StateCommand =>
  ({ state, dispatch }) => {
    const { number, text, to } = state.doc.lineAt(state.selection.main.to);
    // Directly below text, the lines would join its paragraph or turn it into a heading.
    const isFree = !text.trim() && (number === 1 || !state.doc.line(number - 1).text.trim());
    const gap = isFree ? '' : text.trim() ? '\n\n' : '\n';
    const selection = { anchor: to + gap.length + cursor };
    dispatch(
      state.update({
        changes: { from: to, insert: gap + lines },
        selection,
        scrollIntoView: true,
        userEvent: 'input',
      }),
    );
    return true;
  };

const divider = '---\n';
const table = '|   |   |\n| --- | --- |\n|   |   |\n';

/** Makes the selection a link's text, and selects its placeholder address. */
const link: StateCommand = ({ state, dispatch }) => {
  const changed = state.changeByRange(({ from, to }) => {
    const text = state.sliceDoc(from, to);
    const insert = `[${text}](https://)`;
    const address = from + text.length + 3;
    return {
      changes: { from, to, insert },
      range: text ? EditorSelection.range(address, address + 8) : EditorSelection.cursor(from + 1),
    };
  });
  dispatch(state.update(changed, { scrollIntoView: true, userEvent: 'input' }));
  return true;
};

export const commands = {
  bold: wrap('**'),
  italic: wrap('_'),
  code: wrap('`'),
  heading: prefix('## '),
  quote: prefix('> '),
  list: prefix('- '),
  numbers: prefix((at) => `${at + 1}. `, /^\d+\. /),
  divider: block(divider, divider.length),
  table: block(table, '| '.length),
  link,
} as const satisfies Record<string, StateCommand>;

export type CommandName = keyof typeof commands;

/** Keyboard shortcuts in CodeMirror's notation. `Mod` is Command on a Mac, and Control elsewhere. */
const keys = {
  bold: 'Mod-b',
  italic: 'Mod-i',
  link: 'Mod-Shift-k',
  code: 'Mod-e',
} satisfies Partial<Record<CommandName, string>>;

export const commandKeys: Partial<Record<CommandName, string>> = keys;

export const editorKeys: KeyBinding[] = keysOf(keys).map((name) => ({
  key: keys[name],
  run: ({ state, dispatch }) => commands[name]({ state, dispatch }),
}));
