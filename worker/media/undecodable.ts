/** By what the process that decodes an image says that it is the image's fault (EX_DATAERR). */
export const undecodableExit = 65;

/** An image that can't be decoded, or takes more time or memory than any should. */
export class UndecodableError extends Error {
  override name = 'UndecodableError';
}
