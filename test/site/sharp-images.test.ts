import { expect, test } from 'vitest';
import { startingStyles } from '../../shared/contract/features/theme.ts';
import { keysOf } from '../../shared/contract/names-of.ts';
import { makeRenditions } from '../../worker/images/make-renditions.ts';
import { startApp } from '../support/app.ts';
import { startBrowser } from '../support/browser.ts';
import { formOf, pictureElement } from '../support/images.ts';
import { ownerClient } from '../support/rpc.ts';

test('images have enough pixels for a high-density screen, in every look', async () => {
  await using app = await startApp();
  const { studio } = ownerClient(app.baseUrl, await app.seed.ownerToken());
  const form = formOf(await pictureElement('jpeg', { width: 2_400, height: 1_600 }), { name: 'boat.jpg' });
  const { body } = await app.post('/api/v2/media', {
    key: await app.seed.key({ scopes: ['write:media'] }),
    ...form,
  });
  const { id: cover, url } = body as { id: string; url: string };
  while ((await makeRenditions(app.deps, new AbortController().signal)) === 0);
  await studio.profile.update.mutate({ avatar_url: app.baseUrl + url });
  for (const title of ['One', 'Two', 'Three']) {
    await studio.posts.create.mutate({ title, content: 'Text', cover, featured: title === 'One' });
    await studio.projects.create.mutate({ title, cover });
  }
  await using browser = await startBrowser();
  for (const width of [390, 1280]) {
    const page = await browser.open({
      viewport: { width, height: 900 },
      deviceScaleFactor: 2,
      javaScriptEnabled: true,
    });
    for (const look of keysOf(startingStyles)) {
      await studio.site.update.mutate({ theme: { look } });
      for (const path of ['/', '/posts', '/projects']) {
        await page.goto(app.baseUrl + path);
        const soft = await page.evaluate(async () => {
          const images = [...document.querySelectorAll<HTMLImageElement>('main img[srcset]')];
          const shown = images.filter((image) => image.clientWidth > 0);
          return Promise.all(
            shown.map(async (image) => {
              image.scrollIntoView();
              // `decode` would fail if the browser chooses another source in the meantime.
              if (!image.complete)
                await new Promise((loaded) => image.addEventListener('load', loaded, { once: true }));
              const room = image.clientWidth * devicePixelRatio;
              const pixels = Number(/\/(\d+)\/[^/]+$/.exec(image.currentSrc)?.[1] ?? Infinity);
              return pixels < Math.min(room, 1_600) ? `${pixels} pixels in ${room}` : '';
            }),
          );
        });
        expect([width, look, path, soft.filter(Boolean)]).toEqual([width, look, path, []]);
      }
    }
  }
});
