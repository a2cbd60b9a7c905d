import type { Readable } from 'node:stream';

/** Form with a file. Nothing is read before `open`, and then only the beginning until the file is consumed. */
export interface IncomingForm {
  /** Resolves when the file begins. Throws for an invalid form. */
  open(): Promise<IncomingFile>;
}

/** Uploaded file that is still arriving. */
export interface IncomingFile {
  name: string;
  content: Readable;
  /** Resolves when the request ends after the file. Throws if the form has other parts. */
  ended(): Promise<void>;
}
