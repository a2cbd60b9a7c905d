import { defaultKeymap, history, historyKeymap, isolateHistory } from '@codemirror/commands';
import { markdown, markdownKeymap, markdownLanguage } from '@codemirror/lang-markdown';
import { HighlightStyle, syntaxHighlighting, syntaxTree } from '@codemirror/language';
import { Annotation, type ChangeSpec, EditorState, type Extension } from '@codemirror/state';
import { EditorView, keymap, placeholder as placeholderText } from '@codemirror/view';
import { tags } from '@lezer/highlight';
import { editorKeys } from './commands.ts';
import { hiddenMarks } from './hidden-marks.ts';
import { images } from './images.ts';
import { uploadPlaceholders } from './insert-files.ts';
import { markdownFromHtml } from './markdown-from-html.ts';

interface EditorOptions {
  placeholder: string;
  onChange(text: string): void;
  onLeave(): void;
  /** Called with pasted or dropped files; `at` is their offset in the text. */
  onFiles(files: readonly File[], view: EditorView, at: number): void;
}

/** Annotation of a change that comes from the form, so that `onChange` does not report it back. */
export const fromOutside = Annotation.define<true>();

/**
 * Returns the smallest change from `current` to `text`; null if they are equal. Equal text around it keeps cursor and
 * decorations.
 */
export function changesTo(text: string, current: string): ChangeSpec | null {
  // The editor stores all line ends as `\n`.
  const given = text.replace(/\r\n?/g, '\n');
  if (given === current) return null;
  const shorter = Math.min(given.length, current.length);
  let from = 0;
  while (from < shorter && given[from] === current[from]) from++;
  let same = 0;
  while (same < shorter - from && given.at(-1 - same) === current.at(-1 - same)) same++;
  return { from, to: current.length - same, insert: given.slice(from, given.length - same) };
}

/** Extensions of the editor. Tab keeps its browser behavior, so that keyboard users can leave the editor. */
export const extensionsFor = ({ placeholder, onChange, onLeave, onFiles }: EditorOptions): Extension => [
  history(),
  pasteAlone,
  uploadPlaceholders,
  markdown({ base: markdownLanguage }),
  hiddenMarks,
  images,
  syntaxHighlighting(inks),
  EditorView.lineWrapping,
  placeholderText(placeholder),
  EditorView.contentAttributes.of({ spellcheck: 'true', autocapitalize: 'on' }),
  keymap.of([...editorKeys, ...markdownKeymap, ...historyKeymap, ...textKeys]),
  EditorView.domEventHandlers({
    blur: onLeave,
    paste: (event, view) =>
      isFormattedText(event.clipboardData)
        ? pasteFormatted(event, view)
        : taken(event, event.clipboardData, (files) => onFiles(files, view, view.state.selection.main.head)),
    drop: (event, view) =>
      taken(event, event.dataTransfer, (files) =>
        onFiles(files, view, view.posAtCoords({ x: event.clientX, y: event.clientY }, false)),
      ),
  }),
  EditorView.updateListener.of((update) => {
    const isNews = update.transactions.some((made) => made.docChanged && !made.annotation(fromOutside));
    if (isNews) onChange(update.state.doc.toString());
  }),
];

/**
 * True for formatted text on the clipboard. Office programs add an image of the text, which is ignored. An image copied from
 * a page has no plain text, and files have no HTML.
 */
const isFormattedText = (data: DataTransfer | null) =>
  Boolean(data?.getData('text/html') && data.getData('text/plain').trim());

/**
 * Pastes formatted text as Markdown. Returns false in code and for unformatted text, which CodeMirror pastes as plain
 * text.
 */
function pasteFormatted(event: ClipboardEvent, view: EditorView): boolean {
  const { state } = view;
  const isCode = state.selection.ranges.some(({ from }) => isInCode(state, from));
  const labels = isCode ? null : markdownFromHtml(event.clipboardData?.getData('text/html') ?? '');
  if (labels === null) return false;
  event.preventDefault();
  view.dispatch(state.replaceSelection(labels), { userEvent: 'input.paste', scrollIntoView: true });
  return true;
}

function isInCode(state: EditorState, at: number): boolean {
  for (let node: SyntaxNode | null = syntaxTree(state).resolveInner(at); node; node = node.parent)
    if (/Code/.test(node.name)) return true;
  return false;
}

type SyntaxNode = ReturnType<typeof syntaxTree>['topNode'];

/** Makes a paste one undo step, separate from text typed directly after it. */
const pasteAlone = EditorState.transactionExtender.of((made) =>
  made.isUserEvent('input.paste') ? { annotations: isolateHistory.of('full') } : null,
);

/** Passes pasted or dropped files to `use`, without the text that came with them. Returns false if there are none. */
function taken(event: Event, data: DataTransfer | null, use: (files: readonly File[]) => void): boolean {
  const files = [...(data?.files ?? [])];
  if (files.length === 0) return false;
  event.preventDefault();
  use(files);
  return true;
}

/** Default key bindings, except Mod-Enter: the form around the editor submits with it. */
const textKeys = defaultKeymap.filter(({ key }) => key !== 'Mod-Enter');

const quiet = 'var(--studio-quiet)';

const inks = HighlightStyle.define([
  { tag: tags.heading1, fontSize: '1.5em', fontWeight: '650', letterSpacing: '-0.01em' },
  { tag: tags.heading2, fontSize: '1.25em', fontWeight: '650' },
  { tag: tags.heading, fontWeight: '650' },
  { tag: tags.strong, fontWeight: '650' },
  { tag: tags.emphasis, fontStyle: 'italic' },
  { tag: tags.strikethrough, textDecoration: 'line-through' },
  { tag: tags.link, color: 'var(--mantine-color-anchor)' },
  { tag: tags.url, color: quiet },
  { tag: tags.quote, color: quiet },
  { tag: tags.monospace, fontFamily: 'var(--mantine-font-family-monospace)', fontSize: '0.9em' },
  { tag: tags.processingInstruction, color: quiet, fontWeight: '400' },
  { tag: tags.comment, color: quiet },
]);
