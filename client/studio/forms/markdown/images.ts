import { syntaxTree } from '@codemirror/language';
import type { EditorState, Range } from '@codemirror/state';
import { Decoration, type EditorView, WidgetType } from '@codemirror/view';
import { strings } from '../../strings/ui-strings.ts';
import { decoratedBy, isTouched, type SyntaxNode } from './hidden-marks.ts';

/**
 * Shows images of the site instead of their Markdown, with description and caption, and offers to add missing ones. If the
 * cursor is in an image, its Markdown appears below it.
 */
export const images = decoratedBy((view) => {
  const ranges: Range<Decoration>[] = [];
  for (const { from, to } of view.visibleRanges) {
    syntaxTree(view.state).iterate({
      from,
      to,
      enter: ({ name, node }) => {
        const image = name === 'Image' && imageOf(view.state, node);
        if (!image) return;
        const isAtWork = isTouched(view, node);
        const widget = new ImageWidget(image, isAtWork);
        if (isAtWork || (!isSeen(image) && image.alt === ''))
          ranges.push(Decoration.widget({ widget, side: -1 }).range(node.from));
        else if (isSeen(image)) ranges.push(Decoration.replace({ widget }).range(node.from, node.to));
      },
    });
  }
  return Decoration.set(ranges, true);
});

interface Image {
  address: string;
  alt: string;
  caption: string;
  hasTitle: boolean;
  /** Length of the Markdown. */
  length: number;
  /** True if the image is its own paragraph, so that it can have a caption. */
  isAlone: boolean;
}

/** True if the content security policy of the studio allows the image. */
const isSeen = ({ address }: Image) => address.startsWith('/media/');

const opening = '![';

function imageOf({ doc }: EditorState, image: SyntaxNode): Image | null {
  const { from, to } = image;
  const url = image.getChild('URL');
  const title = image.getChild('LinkTitle');
  const [, end] = image.getChildren('LinkMark');
  const line = doc.lineAt(from);
  // CodeMirror does not allow a plugin to replace a range with line breaks.
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

const isWhole = ({ parent, from, to }: SyntaxNode) =>
  parent?.name === 'Paragraph' && parent.from === from && parent.to === to;

class ImageWidget extends WidgetType {
  readonly picture: Image;
  readonly isAtWork: boolean;

  constructor(image: Image, isAtWork: boolean) {
    super();
    this.picture = image;
    this.isAtWork = isAtWork;
  }

  override eq(other: ImageWidget) {
    return JSON.stringify(other) === JSON.stringify(this);
  }

  /** Clicks elsewhere in the widget move the cursor to the image. */
  override ignoreEvent({ target }: Event) {
    return target instanceof HTMLButtonElement;
  }

  override toDOM(view: EditorView) {
    const { address, alt, caption, hasTitle, length, isAlone } = this.picture;
    const container = elementOf('span', 'cm-picture', '');
    if (isSeen(this.picture)) {
      const image = document.createElement('img');
      // The image needs no alternative text, because its description is shown as text below it.
      image.alt = '';
      image.onload = () => view.requestMeasure();
      image.src = address;
      container.append(image);
    }
    const addButton = (question: string, at: number, insert = '') => {
      const button = elementOf('button', '', question);
      button.type = 'button';
      button.onclick = () => {
        const from = view.posAtDOM(container) + at;
        view.dispatch({
          changes: { from, insert },
          selection: { anchor: from + Math.max(0, insert.length - 1) },
        });
        view.focus();
      };
      container.append(button);
    };
    if (caption) container.append(elementOf('span', 'cm-caption', caption));
    if (alt && !this.isAtWork) container.append(elementOf('span', '', strings.editor.shows(alt)));
    if (!alt) addButton(strings.editor.noAlt, opening.length);
    if (!hasTitle && isAlone && this.isAtWork) addButton(strings.editor.addCaption, length - 1, ' ""');
    return container;
  }
}

function elementOf<Name extends 'span' | 'button'>(name: Name, className: string, text: string) {
  const element = document.createElement(name);
  element.className = className;
  element.textContent = text;
  return element;
}
