import { damaged } from './damaged.ts';

/** A part of a file that is kept as it is. */
interface Range {
  from: number;
  to: number;
}

/** What is kept of a file: parts of it, and other bytes in place of what goes; `zeros` where all else must stay in its place. */
export type Piece = Range | Buffer | { zeros: number };

/** More would be a file that is made to use up memory. */
const mostPieces = 20_000;

/** Gathers what is kept of a file; neighbouring parts become one. */
export function gatherPieces() {
  const pieces: Piece[] = [];
  const put = (piece: Piece) => {
    if (pieces.length >= mostPieces) throw damaged();
    pieces.push(piece);
  };
  return {
    pieces,
    put,
    keep(from: number, to: number) {
      const last = pieces.at(-1);
      if (to <= from) return;
      if (last && 'to' in last && last.to === from) last.to = to;
      else put({ from, to });
    },
  };
}

export const lengthOf = (pieces: readonly Piece[]) => pieces.reduce((sum, piece) => sum + bytesOf(piece), 0);

function bytesOf(piece: Piece): number {
  if (Buffer.isBuffer(piece)) return piece.length;
  return 'zeros' in piece ? piece.zeros : piece.to - piece.from;
}
