/** Whether an error of the file system says that there is no such file or directory. */
export const isMissing = (error: unknown) =>
  error instanceof Error && 'code' in error && error.code === 'ENOENT';

/** For `catch`: nothing for what is not there. Rethrows all else. */
export function nullIfMissing(error: unknown): null {
  if (isMissing(error)) return null;
  throw error;
}
