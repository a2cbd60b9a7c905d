/** The media store can't be reached, or is not that of this installation: nothing is known of what it holds. */
export class MediaAwayError extends Error {
  override name = 'MediaAwayError';

  constructor(why: string, options?: ErrorOptions) {
    super(`media store unavailable: ${why}`, options);
  }
}

/** The media store has no room; nothing was kept. */
export class MediaFullError extends Error {
  override name = 'MediaFullError';
}

const fullCodes = new Set<unknown>(['ENOSPC', 'EDQUOT']);

/** Whether something failed for want of room: in the media store, or on a disk of this machine. */
export function isOutOfRoom(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if (error instanceof MediaFullError || ('code' in error && fullCodes.has(error.code))) return true;
  return isOutOfRoom(error.cause);
}

/** Whether something failed since the media store is away. */
export function isMediaAway(error: unknown): boolean {
  return error instanceof Error && (error instanceof MediaAwayError || isMediaAway(error.cause));
}
