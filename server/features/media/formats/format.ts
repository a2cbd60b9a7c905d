import type { MediaType } from '../../../../shared/contract/features/media.ts';
import type { FileReader } from '../file-reader.ts';
import type { Piece } from '../pieces.ts';

/** A file that is open in this process. */
export interface FileToInspect {
  descriptor: number;
  type: MediaType;
  size: number;
}

/** What the bytes of a file say of it. */
export interface Inspected {
  /** Pixels as shown; null for what is no image. */
  width: number | null;
  height: number | null;
  /** The file without what a camera or a program noted in it, such as where and by whom it was made. */
  pieces: readonly Piece[];
}

/** Reads a file of one format to its end. Throws `media_damaged` for what is not whole. */
export type Inspect = (file: FileReader) => Promise<Inspected>;
