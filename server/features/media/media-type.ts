import { type MediaType, mediaTypes } from '../../../shared/contract/features/media.ts';
import { ApiError } from '../../kernel/api-error.ts';

/** How much of the beginning of a file tells its type. */
export const headBytes = 8 * 1024;

/** Other names of types that are taken. */
const aliases: Readonly<Record<string, string>> = {
  'image/apng': 'image/png',
  'audio/x-m4a': 'audio/mp4',
  'audio/vnd.wave': 'audio/wav',
  'audio/wave': 'audio/wav',
  'audio/opus': 'audio/ogg',
  'audio/x-flac': 'audio/flac',
  'video/x-m4v': 'video/mp4',
};

/** What a file is by its first bytes, whatever was said of it. Throws `unsupported_media_type` for what is not taken. */
export async function mediaTypeOf(head: Buffer): Promise<MediaType> {
  // Loaded with the first file that comes.
  const { fileTypeFromBuffer } = await import('file-type');
  const found = await fileTypeFromBuffer(head);
  const mime = found?.mime.split(';', 1)[0] ?? '';
  const type = aliases[mime] ?? mime;
  if (isTaken(type)) return type;
  throw new ApiError('unsupported_media_type');
}

const isTaken = (type: string): type is MediaType => Object.hasOwn(mediaTypes, type);
