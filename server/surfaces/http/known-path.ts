import type { FastifyInstance } from 'fastify';

/**
 * Makes the path of an unknown address fit for a log: words that stand in paths served here are kept, whatever else a
 * caller wrote there becomes `*`, since it may be a key or a password put in the wrong place.
 */
export function createPathReader(app: FastifyInstance): (url: string) => string {
  const words = new Set(['']);
  app.addHook('onRoute', ({ url }) => {
    for (const word of url.split('/')) if (!/[:*]/.test(word)) words.add(word);
  });
  return (url) => {
    const [path = ''] = url.split(/[?#]/, 1);
    const shown = path.split('/', mostSegments).map((word) => (words.has(word) ? word : '*'));
    return shown.join('/');
  };
}

/** A longer path is cut: only its beginning says what its caller was after. */
const mostSegments = 10;
