import { z } from 'zod';
import { nextMessage, startProcess } from './processes.ts';

/** Starts receivers that flood on request, in a process of their own. */
export async function startFloodingReceivers() {
  const { child, ...process } = startProcess(
    new URL('./processes/flooding-receivers.ts', import.meta.url),
    {},
  );
  const { url } = z.object({ url: z.string() }).parse(await nextMessage(child));
  return {
    ...process,
    url,
    /** Switches the receivers and returns the number of answers that flooded since the start. */
    async tell(what: 'flood' | 'rest'): Promise<number> {
      child.send(what);
      return z.object({ flooded: z.number() }).parse(await nextMessage(child)).flooded;
    },
  };
}

export type FloodingReceivers = Awaited<ReturnType<typeof startFloodingReceivers>>;
