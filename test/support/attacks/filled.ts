/** Repeats a piece up to `length` characters. */
export const filled = (piece: string, length: number) =>
  piece.repeat(Math.ceil(length / piece.length)).slice(0, length);
