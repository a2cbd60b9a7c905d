import { type EditorState, StateEffect, StateField } from '@codemirror/state';
import { Decoration, EditorView, WidgetType } from '@codemirror/view';

/** Where files that are on their way will stand, and what is seen there meanwhile: it is no part of the text. */
interface UploadPlace {
  id: number;
  at: number;
  words: string;
}

/** Makes a place, or says where it is by now. */
export const addPlaceholder = StateEffect.define<UploadPlace>();
export const removePlaceholder = StateEffect.define<number>();

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
export const placeholderOf = (state: EditorState, id: number): number | null =>
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
