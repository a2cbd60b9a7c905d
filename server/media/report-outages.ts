import { isMediaUnavailable, type MediaStore } from '../../shared/media/store.ts';
import type { Deps, Infrastructure } from '../api/deps.ts';

/** Interval at which an unavailable store is checked, in milliseconds. */
const pauseMs = 5_000;

/**
 * Wraps a media store so that outages are reported. From the first failure until a successful check, write or deletion,
 * the service is `degraded`. The check repeats even if no request uses the store.
 */
export function noteOutages(
  { media, logger }: Pick<Infrastructure, 'media' | 'logger'>,
  degraded: Deps['degraded'],
): MediaStore {
  const begin = (err: unknown) => {
    if (degraded.has('media')) return;
    logger.error({ err }, 'media store unavailable; uploads and media files fail until it is back');
    degraded.set('media', 'media store unavailable');
    setTimeout(probe, pauseMs).unref();
  };
  const probe = () => {
    if (!degraded.has('media')) return;
    void media.check().then(end, () => {
      setTimeout(probe, pauseMs).unref();
    });
  };
  const end = () => {
    if (degraded.delete('media')) logger.info('media store available again');
  };
  const noted = async <T>(work: Promise<T>): Promise<T> => {
    try {
      return await work;
    } catch (error) {
      if (isMediaUnavailable(error)) begin(error);
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
