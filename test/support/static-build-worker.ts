/** Process of a static build. It renders the posts with the given slugs, eight concurrently as Next.js does. */
import { createClient } from '../../client/sdk/index.ts';

const [baseUrl = '', apiKey, ...slugs] = process.argv.slice(2);
let calls = 0;
const client = createClient({
  baseUrl,
  apiKey,
  fetch(target, init) {
    calls += new URL(String(target)).pathname.split(',').length;
    return fetch(target, init);
  },
});

const rendered: string[] = [];
async function render() {
  for (let slug = slugs.shift(); slug; slug = slugs.shift()) {
    const { title } = await client.v1.posts.get.query({ slug });
    rendered.push(title);
  }
}
await Promise.all(Array.from({ length: 8 }, render));
console.log(JSON.stringify({ rendered, repeated: calls - rendered.length }));
