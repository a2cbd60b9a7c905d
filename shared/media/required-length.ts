/** Passes on exactly `bytes`; fails as soon as there is more, and at the end when there was less. */
export async function* requireLength(content: AsyncIterable<Buffer>, bytes: number): AsyncGenerator<Buffer> {
  const wrong = () => new Error(`the content does not have the announced length of ${bytes} bytes`);
  let seen = 0;
  for await (const chunk of content) {
    seen += chunk.length;
    if (seen > bytes) throw wrong();
    yield chunk;
  }
  if (seen < bytes) throw wrong();
}
