import { z } from 'zod';
import { nextMessage, startProcess } from './processes.ts';

/** Starts a process that reads posts `post-1` to `post-<posts>` and their list over REST. Ends with `await using`. */
export async function startReader(url: string, authorization: string, posts: number) {
  const env = { URL: url, AUTHORIZATION: authorization, POSTS: `${posts}` };
  const reader = startProcess(new URL('./processes/reader.ts', import.meta.url), env);
  await nextMessage(reader.child);
  /** Reads for some seconds and returns the duration of each read in milliseconds. Throws unless all are answered 200. */
  const read = async (seconds: number) => {
    reader.child.send(seconds);
    return z.array(z.number()).parse(await nextMessage(reader.child));
  };
  return { ...reader, read };
}
