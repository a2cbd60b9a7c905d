import type { FileReader } from '../file-reader.ts';
import { gatherPieces } from '../pieces.ts';
import { type Box, boxesIn, boxOf } from './boxes.ts';
import type { Inspect } from './format.ts';

/** Boxes in which cameras note where and with what a film was made. */
const notes = ['udta', 'meta', 'uuid'];

/** MP4 and QuickTime: boxes of notes become free room, so that nothing else moves. */
export const inspectMovie: Inspect = async (file) => {
  const top = await boxesIn(file, 0, file.size);
  const found = await notesIn(file, top, boxOf(top, 'moov'));
  const gathered = gatherPieces();
  let at = 0;
  for (const box of found.toSorted((a, b) => a.at - b.at)) {
    gathered.keep(at, box.at + 4);
    gathered.put(Buffer.from('free', 'latin1'));
    gathered.keep(box.at + 8, box.body);
    gathered.put({ zeros: box.end - box.body });
    at = box.end;
  }
  gathered.keep(at, file.size);
  return { width: null, height: null, pieces: gathered.pieces };
};

/** Those of the film itself, and of each of its tracks. */
async function notesIn(file: FileReader, top: readonly Box[], movie: Box): Promise<Box[]> {
  const found = [...top];
  for (const box of await boxesIn(file, movie.body, movie.end)) {
    found.push(box);
    if (box.type === 'trak') found.push(...(await boxesIn(file, box.body, box.end)));
  }
  return found.filter(({ type }) => notes.includes(type));
}
