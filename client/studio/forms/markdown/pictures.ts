import { syntaxTree } from '@codemirror/language';
import type { EditorState, Range } from '@codemirror/state';
import { Decoration, type EditorView, WidgetType } from '@codemirror/view';
import { texts } from '../../strings/texts.ts';
import { decoratedBy, isTouched, type SyntaxNode } from './hidden-marks.ts';

/**
 * Shows the pictures of the site in place of their marks, with what they show in words and their captions, and asks for
 * what is missing. Once the cursor comes to one, its marks show below it.
 */
export const pictures = decoratedBy((view) => {
  const ranges: Range<Decoration>[] = [];
  for (const { from, to } of view.visibleRanges) {
    syntaxTree(view.state).iterate({
      from,
      to,
      enter: ({ name, node }) => {
        const picture = name === 'Image' && pictureOf(view.state, node);
        if (!picture) return;
        const isAtWork = isTouched(view, node);
        const widget = new PictureWidget(picture, isAtWork);
        if (isAtWork || (!isSeen(picture) && picture.alt === ''))
          ranges.push(Decoration.widget({ widget, side: -1 }).range(node.from));
        else if (isSeen(picture)) ranges.push(Decoration.replace({ widget }).range(node.from, node.to));
      },
    });
  }
  return Decoration.set(ranges, true);
});

interface Picture {
  address: string;
  alt: string;
  caption: string;
  hasTitle: boolean;
  /** Of its marks. */
  length: number;
  /** Or there is no caption. */
  isAlone: boolean;
}

/** The policy of the studio's pages lets no others through. */
const isSeen = ({ address }: Picture) => address.startsWith('/media/');

const opening = '![';

function pictureOf({ doc }: EditorState, image: SyntaxNode): Picture | null {
  const { from, to } = image;
  const url = image.getChild('URL');
  const title = image.getChild('LinkTitle');
  const [, end] = image.getChildren('LinkMark');
  const line = doc.lineAt(from);
  // The editor lets nothing of several lines be replaced.
  if (!url || !end || to > line.to) return null;
  const said = (start: number, end: number) => doc.sliceString(start, end).replace(/\\(.)/g, '$1').trim();
  return {
    address: doc.sliceString(url.from, url.to),
    alt: said(from + opening.length, end.from),
    caption: title ? said(title.from + 1, title.to - 1) : '',
    length: to - from,
    hasTitle: title !== null,
    isAlone: isWhole(image),
  };
}

/** A paragraph of its own. */
const isWhole = ({ parent, from, to }: SyntaxNode) =>
  parent?.name === 'Paragraph' && parent.from === from && parent.to === to;

class PictureWidget extends WidgetType {
  readonly picture: Picture;
  readonly isAtWork: boolean;

  constructor(picture: Picture, isAtWork: boolean) {
    super();
    this.picture = picture;
    this.isAtWork = isAtWork;
  }

  override eq(other: PictureWidget) {
    return JSON.stringify(other) === JSON.stringify(this);
  }

  /** Else a click on it brings the cursor to it. */
  override ignoreEvent({ target }: Event) {
    return target instanceof HTMLButtonElement;
  }

  override toDOM(view: EditorView) {
    const { address, alt, caption, hasTitle, length, isAlone } = this.picture;
    const place = elementOf('span', 'cm-picture', '');
    if (isSeen(this.picture)) {
      const image = document.createElement('img');
      // Its words stand below it.
      image.alt = '';
      image.onload = () => view.requestMeasure();
      image.src = address;
      place.append(image);
    }
    const ask = (question: string, at: number, insert = '') => {
      const button = elementOf('button', '', question);
      button.type = 'button';
      button.onclick = () => {
        const from = view.posAtDOM(place) + at;
        view.dispatch({
          changes: { from, insert },
          selection: { anchor: from + Math.max(0, insert.length - 1) },
        });
        view.focus();
      };
      place.append(button);
    };
    if (caption) place.append(elementOf('span', 'cm-caption', caption));
    if (alt && !this.isAtWork) place.append(elementOf('span', '', texts.editor.shows(alt)));
    if (!alt) ask(texts.editor.noAlt, opening.length);
    if (!hasTitle && isAlone && this.isAtWork) ask(texts.editor.addCaption, length - 1, ' ""');
    return place;
  }
}

function elementOf<Name extends 'span' | 'button'>(name: Name, className: string, text: string) {
  const element = document.createElement(name);
  element.className = className;
  element.textContent = text;
  return element;
}
