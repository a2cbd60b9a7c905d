import type { EditorView } from '@codemirror/view';
import { type Upload, type UploadedFile, wordsForUpload } from '../media/upload.ts';
import { texts } from '../texts/texts.ts';
import { sayReason } from '../ui/toast.tsx';

/**
 * Uploads files and puts them into the text: at once as a place that says so, then as an image or a link. What is written
 * meanwhile stays where it is.
 */
export function createFilesInsertion(upload: Upload) {
  let number = 0;
  return (files: readonly File[], view: EditorView, at: number) => {
    const places = files.map((file) => {
      number += 1;
      return { file, text: texts.media.placeholder(plain(file.name), number) };
    });
    const insert = places.map(({ text }) => text).join('\n\n');
    view.dispatch({
      changes: { from: at, insert },
      selection: { anchor: at + insert.length },
      userEvent: 'input.paste',
    });
    void uploadAll(places, upload, view);
  };
}

async function uploadAll(places: readonly { file: File; text: string }[], upload: Upload, view: EditorView) {
  for (const { file, text } of places) {
    try {
      replace(view, text, markdownOf(await upload(file)));
    } catch (error) {
      replace(view, text, '');
      sayReason(texts.media.failed(file.name, wordsForUpload(error)));
    }
  }
}

/** Unless the writer has taken the place out meanwhile. */
function replace(view: EditorView, text: string, insert: string) {
  const from = view.state.doc.toString().indexOf(text);
  if (from >= 0) view.dispatch({ changes: { from, to: from + text.length, insert }, userEvent: 'input' });
}

function markdownOf({ name, url, type }: UploadedFile): string {
  const link = `[${plain(name.replace(/\.[^.]*$/, ''))}](${url})`;
  return type.startsWith('image/') ? `!${link}` : link;
}

/** A name without the signs that would end it within brackets. */
const plain = (name: string) => name.replace(/[[\]\\]/g, ' ').trim();
