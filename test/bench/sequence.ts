/**
 * Sends GETs one after another over one connection, and returns their durations in milliseconds. They are uncompressed
 * unless `headers` request a coding. Throws unless all are 200.
 */
export async function timeEach(urls: readonly string[], headers: Record<string, string>): Promise<number[]> {
  const tookMs: number[] = [];
  for (const url of urls) {
    const startedAt = performance.now();
    const answer = await fetch(url, { headers: { 'accept-encoding': 'identity', ...headers } });
    await answer.arrayBuffer();
    tookMs.push(performance.now() - startedAt);
    if (answer.status !== 200) throw new Error(`${url} answered ${answer.status}`);
  }
  return tookMs;
}
