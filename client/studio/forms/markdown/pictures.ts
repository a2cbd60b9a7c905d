import { syntaxTree } from '@codemirror/language';
import type { Range } from '@codemirror/state';
import {
  Decoration,
  type DecorationSet,
  type EditorView,
  ViewPlugin,
  type ViewUpdate,
  WidgetType,
} from '@codemirror/view';
import { texts } from '../../texts/texts.ts';

/** Asks what a picture shows, there where its description goes: it is no part of the text. */
export const pictures = ViewPlugin.fromClass(
  class {
    decorations: DecorationSet;

    constructor(view: EditorView) {
      this.decorations = decorationsOf(view);
    }

    update({ view, docChanged, viewportChanged, startState, state }: ViewUpdate) {
      const isParsed = syntaxTree(startState) !== syntaxTree(state);
      if (docChanged || viewportChanged || isParsed) this.decorations = decorationsOf(view);
    }
  },
  { decorations: ({ decorations }) => decorations },
);

function decorationsOf({ state, visibleRanges }: EditorView): DecorationSet {
  const ranges: Range<Decoration>[] = [];
  for (const { from, to } of visibleRanges) {
    syntaxTree(state).iterate({
      from,
      to,
      enter: ({ name, from: start }) => {
        const words = start + '!['.length;
        if (name === 'Image' && state.sliceDoc(words, words + 1) === ']') ranges.push(question.range(words));
      },
    });
  }
  return Decoration.set(ranges, true);
}

class QuestionWidget extends WidgetType {
  override toDOM() {
    const place = document.createElement('span');
    place.className = 'cm-question';
    place.textContent = texts.editor.noAlt;
    return place;
  }

  override eq() {
    return true;
  }

  // A click on it puts the cursor there.
  override ignoreEvent() {
    return false;
  }
}

const question = Decoration.widget({ widget: new QuestionWidget(), side: 1 });
