import { isMediaAway, type MediaStore } from '../../shared/media/store.ts';
import type { Deps, Infrastructure } from '../api/deps.ts';

/** How often a store that is away is asked whether it is back. */
const pauseMs = 5_000;

/** The store, which is named as degraded from the first failure on until it is back, whether or not anybody uses it. */
export function noteOutages(
  { media, logger }: Pick<Infrastructure, 'media' | 'logger'>,
  degraded: Deps['degraded'],
): MediaStore {
  const begin = (err: unknown) => {
    if (degraded.has('media')) return;
    logger.error({ err }, 'media store unavailable; uploads and media files fail until it is back');
    degraded.set('media', 'media store unavailable');
    setTimeout(ask, pauseMs).unref();
  };
  const ask = () => {
    if (!degraded.has('media')) return;
    void media.check().then(end, () => {
      setTimeout(ask, pauseMs).unref();
    });
  };
  const end = () => {
    if (degraded.delete('media')) logger.info('media store available again');
  };
  const noted = async <T>(work: Promise<T>): Promise<T> => {
    try {
      return await work;
    } catch (error) {
      if (isMediaAway(error)) begin(error);
      throw error;
    }
  };
  return {
    check: () => noted(media.check()).then(end),
    put: (key, content, bytes) => noted(media.put(key, content, bytes)).then(end),
    get: (key, range) => noted(media.get(key, range)),
    delete: (key) => noted(media.delete(key)).then(end),
    removeUnfinished: (before) => noted(media.removeUnfinished(before)).then(end),
  };
}
