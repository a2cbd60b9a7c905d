import { type EditorState, StateEffect, StateField } from '@codemirror/state';
import { Decoration, EditorView, WidgetType } from '@codemirror/view';
import { strings } from '../../strings/ui-strings.ts';
import { toastReason } from '../../ui/toast.tsx';
import { messageForUpload, type Upload, type UploadedFile } from '../upload.ts';

/**
 * Creates a function that uploads files and inserts each as an image or link when its upload ends.
 *
 * Files are uploaded one after the other. A placeholder marks their position, which moves with changes to the text
 * around it. It is a decoration, so it is never saved.
 *
 * A failed file is reported in a toast, and the next one continues. `during` receives the promise of all uploads.
 */
export function createFilesInsertion(upload: Upload, during: (work: Promise<void>) => void) {
  let number = 0;
  return (files: readonly File[], view: EditorView, at: number) => {
    number += 1;
    view.dispatch({ selection: { anchor: at } });
    during(uploadAll(files, upload, view, number, at));
  };
}

/** Uploads files one after the other; `id` names the placeholder, and `at` is its first position. */
async function uploadAll(files: readonly File[], upload: Upload, view: EditorView, id: number, at: number) {
  let isFirst = true;
  for (const [index, file] of files.entries()) {
    let labels = '';
    const show = (share: number) => {
      labels = strings.media.uploading(file.name, files.length - index, share);
      view.dispatch({
        effects: addPlaceholder.of({ id, at: placeholderOf(view.state, id) ?? at, words: labels }),
      });
    };
    show(0);
    try {
      const uploaded = await upload(file, show);
      insertAt(view, id, labels, uploaded, isFirst);
      isFirst = false;
    } catch (error) {
      toastReason(strings.media.failed(file.name, messageForUpload(error)));
    }
  }
  view.dispatch({ effects: removePlaceholder.of(id) });
}

function insertAt(view: EditorView, id: number, labels: string, uploaded: UploadedFile, isFirst: boolean) {
  const { state } = view;
  const from = placeholderOf(state, id) ?? state.doc.length;
  const insert = apartFrom(state, from, uploaded, isFirst) + markdownOf(uploaded);
  const changes = state.changes({ from, insert });
  view.dispatch({
    changes,
    // A cursor at this position moves behind the inserted file.
    selection: state.selection.map(changes, 1),
    effects: addPlaceholder.of({ id, at: from + insert.length, words: labels }),
    userEvent: 'input.paste',
  });
}

/** Returns the separator before an inserted file. An image at the end of a paragraph becomes a paragraph of its own. */
function apartFrom({ doc }: EditorState, at: number, uploaded: UploadedFile, isFirst: boolean) {
  if (!isFirst) return '\n\n';
  const { text, to, number } = doc.lineAt(at);
  if (!isImage(uploaded) || at < to) return '';
  if (paragraph.test(text)) return '\n\n';
  return text === '' && number > 1 && paragraph.test(doc.line(number - 1).text) ? '\n' : '';
}

/**
 * Line of a paragraph, from which an inserted image is separated. Table rows, quotes, headings, list items and lines with a
 * trailing space do not match.
 */
const paragraph = /^(?!\s|[|>#]|[-*+]\s|\d+[.)]\s).*\S$/;

const isImage = ({ type }: UploadedFile) => type.startsWith('image/');

/**
 * Returns the Markdown of a file. An image gets its stored description, never its file name, which means nothing to
 * listeners.
 */
function markdownOf(file: UploadedFile): string {
  if (isImage(file)) {
    const caption = plain(file.caption).replaceAll('"', '\\"');
    return `![${plain(file.alt)}](${file.url}${caption && ` "${caption}"`})`;
  }
  return `[${plain(file.name.replace(/\.[^.]*$/, ''))}](${file.url})`;
}

/** Removes brackets, backslashes and newlines, which would break a link's text. */
const plain = (labels: string) => labels.replace(/[[\]\\\s]+/g, ' ').trim();

/** Placeholder of an upload: its position, and the text shown there. */
interface UploadPlaceholder {
  id: number;
  at: number;
  words: string;
}

/** Adds a placeholder, or moves and relabels an existing one. */
const addPlaceholder = StateEffect.define<UploadPlaceholder>();
const removePlaceholder = StateEffect.define<number>();

const placeholders = StateField.define<readonly UploadPlaceholder[]>({
  create: () => [],
  update(known, { changes, effects }) {
    // Text typed at the position comes after it.
    let next = known.map((placeholder) => ({ ...placeholder, at: changes.mapPos(placeholder.at, -1) }));
    for (const effect of effects) {
      if (effect.is(addPlaceholder))
        next = [...next.filter(({ id }) => id !== effect.value.id), effect.value];
      if (effect.is(removePlaceholder)) next = next.filter(({ id }) => id !== effect.value);
    }
    return next;
  },
  provide: (field) =>
    EditorView.decorations.compute([field], (state) => Decoration.set(state.field(field).map(shown), true)),
});

export const uploadPlaceholders = placeholders.extension;

/** Returns the current position of a placeholder; null if it was removed. */
const placeholderOf = (state: EditorState, id: number): number | null =>
  state.field(placeholders).find((placeholder) => placeholder.id === id)?.at ?? null;

const shown = ({ at, words: labels }: UploadPlaceholder) =>
  Decoration.widget({ widget: new PlaceWidget(labels), side: -1 }).range(at);

class PlaceWidget extends WidgetType {
  readonly words: string;

  constructor(labels: string) {
    super();
    this.words = labels;
  }

  override eq({ words: labels }: PlaceWidget) {
    return labels === this.words;
  }

  override toDOM() {
    const placeholder = document.createElement('span');
    placeholder.className = 'cm-upload';
    placeholder.textContent = this.words;
    return placeholder;
  }
}
