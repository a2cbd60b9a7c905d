import { type EditorState, StateEffect, StateField } from '@codemirror/state';
import { Decoration, EditorView, WidgetType } from '@codemirror/view';
import { texts } from '../../strings/texts.ts';
import { toastReason } from '../../ui/toast.tsx';
import { type Upload, type UploadedFile, wordsForUpload } from '../upload.ts';

/**
 * Uploads files, and puts each into the text as an image or a link once it has arrived: after those before it, where they
 * were dropped, whatever is written meanwhile. `during` is told of the work.
 */
export function createFilesInsertion(upload: Upload, during: (work: Promise<void>) => void) {
  let number = 0;
  return (files: readonly File[], view: EditorView, at: number) => {
    number += 1;
    view.dispatch({ selection: { anchor: at } });
    during(uploadAll(files, upload, view, number, at));
  };
}

/** `id` is that of the place in the text, which begins `at`. */
async function uploadAll(files: readonly File[], upload: Upload, view: EditorView, id: number, at: number) {
  let isFirst = true;
  for (const [index, file] of files.entries()) {
    let words = '';
    const show = (share: number) => {
      words = texts.media.uploading(file.name, files.length - index, share);
      view.dispatch({ effects: addPlaceholder.of({ id, at: placeholderOf(view.state, id) ?? at, words }) });
    };
    show(0);
    try {
      const uploaded = await upload(file, show);
      insertAt(view, id, words, uploaded, isFirst);
      isFirst = false;
    } catch (error) {
      toastReason(texts.media.failed(file.name, wordsForUpload(error)));
    }
  }
  view.dispatch({ effects: removePlaceholder.of(id) });
}

function insertAt(view: EditorView, id: number, words: string, uploaded: UploadedFile, isFirst: boolean) {
  const { state } = view;
  const from = placeholderOf(state, id) ?? state.doc.length;
  const insert = apartFrom(state, from, uploaded, isFirst) + markdownOf(uploaded);
  const changes = state.changes({ from, insert });
  view.dispatch({
    changes,
    // Whoever waits at the place goes on writing after what has arrived there.
    selection: state.selection.map(changes, 1),
    effects: addPlaceholder.of({ id, at: from + insert.length, words }),
    userEvent: 'input.paste',
  });
}

/** What stands between a file and the text before it: a picture at the end of a paragraph is a paragraph of its own. */
function apartFrom({ doc }: EditorState, at: number, uploaded: UploadedFile, isFirst: boolean) {
  if (!isFirst) return '\n\n';
  const { text, to, number } = doc.lineAt(at);
  if (!isPicture(uploaded) || at < to) return '';
  if (paragraph.test(text)) return '\n\n';
  return text === '' && number > 1 && paragraph.test(doc.line(number - 1).text) ? '\n' : '';
}

/** A line of a paragraph, no cell, quote, heading or item, whose writer put no blank for what belongs into it. */
const paragraph = /^(?!\s|[|>#]|[-*+]\s|\d+[.)]\s).*\S$/;

const isPicture = ({ type }: UploadedFile) => type.startsWith('image/');

/** A picture comes with the words that are known of it: its name says nothing to those who hear the text. */
function markdownOf(file: UploadedFile): string {
  if (isPicture(file)) {
    const caption = plain(file.caption).replaceAll('"', '\\"');
    return `![${plain(file.alt)}](${file.url}${caption && ` "${caption}"`})`;
  }
  return `[${plain(file.name.replace(/\.[^.]*$/, ''))}](${file.url})`;
}

/** Words on one line without the signs that would end them within brackets. */
const plain = (words: string) => words.replace(/[[\]\\\s]+/g, ' ').trim();

/** Where files that are on their way will stand, and what is seen there meanwhile: it is no part of the text. */
interface UploadPlace {
  id: number;
  at: number;
  words: string;
}

/** Makes a place, or says where it is by now. */
const addPlaceholder = StateEffect.define<UploadPlace>();
const removePlaceholder = StateEffect.define<number>();

const places = StateField.define<readonly UploadPlace[]>({
  create: () => [],
  update(known, { changes, effects }) {
    // What is typed at a place comes after it.
    let next = known.map((place) => ({ ...place, at: changes.mapPos(place.at, -1) }));
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

export const uploadPlaceholders = places.extension;

/** Where a place is by now; null once it is dropped. */
const placeholderOf = (state: EditorState, id: number): number | null =>
  state.field(places).find((place) => place.id === id)?.at ?? null;

const shown = ({ at, words }: UploadPlace) =>
  Decoration.widget({ widget: new PlaceWidget(words), side: -1 }).range(at);

class PlaceWidget extends WidgetType {
  readonly words: string;

  constructor(words: string) {
    super();
    this.words = words;
  }

  override eq({ words }: PlaceWidget) {
    return words === this.words;
  }

  override toDOM() {
    const place = document.createElement('span');
    place.className = 'cm-upload';
    place.textContent = this.words;
    return place;
  }
}
