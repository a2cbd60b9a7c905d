/** Searches, so many at once, each for other words, over and over until it is ended. */
const { URL: url = '', AUTHORIZATION: authorization = '', WORD = '', AT_ONCE } = process.env;
let searched = 0;

async function search() {
  searched += 1;
  const query = new URLSearchParams({ q: `${WORD} or unique${searched}`, limit: '1', fields: 'id' });
  const answer = await fetch(`${url}/api/v1/posts?${query}`, { headers: { authorization } });
  await answer.arrayBuffer();
}

process.on('SIGTERM', () => process.exit());
process.send?.('begins');
for (;;) await Promise.all(Array.from({ length: Number(AT_ONCE) }, search));
