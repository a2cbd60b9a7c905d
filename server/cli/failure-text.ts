import { z } from 'zod';

/** What Node throws when a file can't be had. */
const FileFailure = z.object({ code: z.string(), path: z.string() });

const fileTroubles: ReadonlyMap<string, string> = new Map([
  ['ENOENT', 'there is no such file or folder'],
  ['ENOTDIR', 'a part of it is no folder'],
  ['EACCES', 'this user may not open it'],
]);

/** Why a command failed, in words for its operator. */
export function failureText(error: unknown): string {
  const { data } = FileFailure.safeParse(error);
  const trouble = data && fileTroubles.get(data.code);
  if (trouble) return `${data.path}: ${trouble}.`;
  return error instanceof Error ? error.message : String(error);
}
