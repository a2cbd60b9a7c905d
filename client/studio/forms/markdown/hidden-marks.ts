import { syntaxTree } from '@codemirror/language';
import type { EditorState, Range } from '@codemirror/state';
import {
  Decoration,
  type DecorationSet,
  type EditorView,
  ViewPlugin,
  type ViewUpdate,
} from '@codemirror/view';

/** Syntax nodes of marks to hide, and of the elements that they belong to. */
const marks = new Set(['EmphasisMark', 'CodeMark', 'StrikethroughMark', 'LinkMark', 'HeaderMark', 'URL']);
const marked = new Set(['Emphasis', 'StrongEmphasis', 'InlineCode', 'Strikethrough', 'Link', 'ATXHeading']);

const hidden = Decoration.replace({});

/** Creates a plugin that recomputes decorations when text, selection, viewport, focus or syntax tree changes. */
export const decoratedBy = (decorationsOf: (view: EditorView) => DecorationSet) =>
  ViewPlugin.fromClass(
    class {
      decorations: DecorationSet;

      constructor(view: EditorView) {
        this.decorations = decorationsOf(view);
      }

      update({
        view,
        docChanged,
        selectionSet,
        viewportChanged,
        focusChanged,
        startState,
        state,
      }: ViewUpdate) {
        const isParsed = syntaxTree(startState) !== syntaxTree(state);
        if (docChanged || selectionSet || viewportChanged || focusChanged || isParsed)
          this.decorations = decorationsOf(view);
      }
    },
    { decorations: ({ decorations }) => decorations },
  );

/**
 * Hides Markdown marks, such as the stars of bold text, until the cursor is in their element. The marks stay part of the
 * text.
 */
export const hiddenMarks = decoratedBy(marksOf);

function marksOf(view: EditorView): DecorationSet {
  const { state } = view;
  const ranges: Range<Decoration>[] = [];
  for (const { from, to } of view.visibleRanges) {
    syntaxTree(state).iterate({
      from,
      to,
      enter: ({ name, from: start, to: end, node: { parent } }) => {
        if (!marks.has(name) || !parent || !marked.has(parent.name.replace(/\d$/, ''))) return;
        // A link without text or address would become invisible.
        if (parent.name === 'Link' && !isWhole(state, parent)) return;
        if (isTouched(view, parent)) return;
        // Hide the space after a heading's mark as well.
        const isOpening = name === 'HeaderMark' && state.sliceDoc(end, end + 1) === ' ';
        if (start < end) ranges.push(hidden.range(start, isOpening ? end + 1 : end));
      },
    });
  }
  return Decoration.set(ranges, true);
}

export type SyntaxNode = ReturnType<typeof syntaxTree>['topNode'];

const isWhole = ({ doc }: EditorState, link: SyntaxNode) =>
  link.getChild('URL') !== null && doc.sliceString(link.from, link.from + 2) !== '[]';

/**
 * True if the cursor is in the range or at one of its ends, while the editor or a button in it has the focus.
 */
export const isTouched = ({ state, contentDOM }: EditorView, { from, to }: { from: number; to: number }) =>
  contentDOM.contains(document.activeElement) &&
  state.selection.ranges.some((range) => range.from <= to && range.to >= from);
