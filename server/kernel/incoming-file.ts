import type { Readable } from 'node:stream';

/** A file on its way here. */
export interface IncomingFile {
  /** As its sender calls it. */
  name: string;
  content: Readable;
  /** Resolves when the request has ended with the file. Throws for what else it has. */
  ended(): Promise<void>;
}
