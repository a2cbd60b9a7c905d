import { syntaxTree } from '@codemirror/language';
import type { EditorState, Range } from '@codemirror/state';
import {
  Decoration,
  type DecorationSet,
  type EditorView,
  ViewPlugin,
  type ViewUpdate,
} from '@codemirror/view';

/** Marks that show by what they do, and what they belong to. */
const marks = new Set(['EmphasisMark', 'CodeMark', 'StrikethroughMark', 'LinkMark', 'HeaderMark', 'URL']);
const marked = new Set(['Emphasis', 'StrongEmphasis', 'InlineCode', 'Strikethrough', 'Link', 'ATXHeading']);

const hidden = Decoration.replace({});

/** What is seen differently where nobody is at work on it. */
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
 * Takes marks out of sight where nobody is at work on them: bold is bold, without its stars. They are part of the text all
 * along, and show once the cursor comes to what they belong to.
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
        // A link without words or address would be gone altogether.
        if (parent.name === 'Link' && !isWhole(state, parent)) return;
        if (isTouched(view, parent)) return;
        // The blank behind the sign of a heading goes with it.
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

/** Whether the cursor is in it, or at one of its ends; what is pressed within the text has the focus as the text has it. */
export const isTouched = ({ state, contentDOM }: EditorView, { from, to }: { from: number; to: number }) =>
  contentDOM.contains(document.activeElement) &&
  state.selection.ranges.some((range) => range.from <= to && range.to >= from);
