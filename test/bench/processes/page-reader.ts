/** Process that only reads pages and a list until it gets `end`. */
import { createReaders } from '../../support/attacks/other-readers.ts';

const { URL: url = '', KEY: key = '', POSTS } = process.env;
const readers = createReaders(url, { key, posts: Number(POSTS) });

let over = new AbortController();
process.on('message', async (message) => {
  if (message === 'end') return over.abort();
  over = new AbortController();
  process.send?.(await readers.read(over.signal));
});
process.on('SIGTERM', () => process.exit());
process.send?.('ready');
