import type { Readable } from 'node:stream';

/** A form with a file, of which nothing is read before somebody asks for it, and then no more than its beginning until its file is read. */
export interface IncomingForm {
  /** Resolves when the file begins. Throws what is wrong with the form. */
  open(): Promise<IncomingFile>;
}

/** A file on its way here. */
export interface IncomingFile {
  /** As its sender calls it. */
  name: string;
  content: Readable;
  /** Resolves when the request has ended with the file. Throws for what else it has. */
  ended(): Promise<void>;
}
