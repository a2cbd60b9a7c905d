/** Process that keeps a number of searches running until it is ended, each for different words. */
const { URL: url = '', AUTHORIZATION: authorization = '', WORD = '', AT_ONCE } = process.env;
let searched = 0;

async function searchOn() {
  for (;;) {
    searched += 1;
    const query = new URLSearchParams({ q: `${WORD} or unique${searched}`, limit: '1', fields: 'id' });
    const answer = await fetch(`${url}/api/v1/posts?${query}`, { headers: { authorization } });
    await answer.arrayBuffer();
    if (answer.status !== 200) throw new Error(`a search was answered ${answer.status}`);
  }
}

process.on('SIGTERM', () => process.exit());
process.send?.('begins');
await Promise.all(Array.from({ length: Number(AT_ONCE) }, searchOn));
