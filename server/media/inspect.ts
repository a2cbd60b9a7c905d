import type { MediaType } from '../../shared/contract/features/media.ts';
import { media } from '../../shared/contract/limits.ts';
import { ApiError } from '../api/api-error.ts';
import {
  createFileReader,
  damaged,
  type FileToInspect,
  type Inspect,
  type InspectedFile,
} from './formats/format.ts';
import { inspectGif } from './formats/gif.ts';
import { inspectAvif, inspectMovie } from './formats/iso-media.ts';
import { inspectJpeg } from './formats/jpeg.ts';
import { inspectPng } from './formats/png.ts';
import { inspectWebp } from './formats/webp.ts';

/** Functions that inspect a format. Files of other types are stored unchanged. */
const formats: Partial<Record<MediaType, Inspect>> = {
  'image/jpeg': inspectJpeg,
  'image/png': inspectPng,
  'image/webp': inspectWebp,
  'image/avif': inspectAvif,
  'image/gif': inspectGif,
  'video/mp4': inspectMovie,
  'video/quicktime': inspectMovie,
  'audio/mp4': inspectMovie,
};

const whole: Inspect = async ({ size }) => ({ width: null, height: null, pieces: [{ from: 0, to: size }] });

/**
 * Inspects a file's structure, and returns the pieces of it to store. Nothing is decoded, so no file can make it use much
 * memory. Width and height are in pixels, and null for files that are not images. Throws `media_damaged` for an incomplete
 * file or an image without pixels, and `image_too_large` above `media.maxPixels`.
 */
export async function inspect({ descriptor, type, size }: FileToInspect): Promise<InspectedFile> {
  const inspected = await (formats[type] ?? whole)(createFileReader(descriptor, size));
  const { width, height } = inspected;
  if (width === null || height === null) return inspected;
  if (width === 0 || height === 0) throw damaged();
  if (width * height > media.maxPixels) throw new ApiError('image_too_large');
  return inspected;
}
