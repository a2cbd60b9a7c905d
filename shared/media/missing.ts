/** Whether an error of the file system says that there is no such file or directory. */
export const isMissing = (error: unknown) =>
  error instanceof Error && 'code' in error && error.code === 'ENOENT';
