import { defaultKeymap, history, historyKeymap } from '@codemirror/commands';
import { markdown, markdownKeymap } from '@codemirror/lang-markdown';
import { HighlightStyle, syntaxHighlighting } from '@codemirror/language';
import type { Extension } from '@codemirror/state';
import { EditorView, keymap, placeholder as placeholderText } from '@codemirror/view';
import { tags } from '@lezer/highlight';
import { editorKeys } from './commands.ts';

interface EditorOptions {
  placeholder: string;
  onChange(text: string): void;
  onLeave(): void;
}

/** How the editor behaves. Tab is left to the browser, so that the keyboard can get out of it. */
export const extensionsFor = ({ placeholder, onChange, onLeave }: EditorOptions): Extension => [
  history(),
  markdown(),
  syntaxHighlighting(inks),
  EditorView.lineWrapping,
  placeholderText(placeholder),
  EditorView.contentAttributes.of({ spellcheck: 'true', autocapitalize: 'on' }),
  keymap.of([...editorKeys, ...markdownKeymap, ...historyKeymap, ...defaultKeymap]),
  EditorView.domEventHandlers({ blur: onLeave }),
  EditorView.updateListener.of((update) => {
    if (update.docChanged) onChange(update.state.doc.toString());
  }),
];

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
