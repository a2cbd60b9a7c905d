import { request } from 'undici';
import { afterAll, expect, test } from 'vitest';
import { scopeNames } from '../../shared/contract/scopes.ts';
import { sitePaths } from '../../shared/contract/site-paths.ts';
import { calls } from '../support/calls.ts';
import { withHeaders } from '../support/every-call.ts';
import { formOf } from '../support/images.ts';
import { startLearningSite } from '../support/learning-site.ts';
import { createVisitor } from '../support/visitor.ts';
import { findViolations, startWatchedBrowser } from '../support/watched-browser.ts';

// Videos and protected files of lessons.

const site = await startLearningSite();
const { app, studio } = site;
afterAll(() => app[Symbol.asyncDispose]());

const key = await app.seed.key({ scopes: scopeNames });
const publicOrigin = app.deps.config.publicUrl.origin;
const nobody = createVisitor(app.baseUrl);

/** Creates a free course whose only lesson has these values. */
async function lessonWith(values: { video_url?: string; content?: string }, access_tier = 'free') {
  const course = await site.createCourse({ values: { access_tier }, modules: [['One']] });
  const [id = ''] = course.lessons;
  await studio.lessons.update.mutate({ id, ...values });
  return { ...course, page: course.lessonPath(0), id };
}

const canary = 'PLANTED-IN-A-FILE';

/** Uploads a protected file that contains the canary. */
async function uploadProtected(name: string) {
  const content = Buffer.from(`%PDF-1.7\n${canary} ${name}\n%%EOF`);
  const { body } = await app.post('/api/v2/media', { key, ...formOf(content, { name }) });
  const { id, url } = body as { id: string; url: string };
  await studio.media.update.mutate({ id, protected: true });
  return { id, url, content };
}

const policyOf = ({ headers }: { headers: Record<string, unknown> }) =>
  String(headers['content-security-policy']);

test('a video of YouTube or Vimeo loads only after the reader plays it, and only then the policy allows its one host', async () => {
  for (const [video_url, provider, host] of [
    ['https://youtu.be/dQw4w9WgXcQ', 'YouTube', 'www.youtube-nocookie.com'],
    ['https://vimeo.com/76979871/8272103f6e', 'Vimeo', 'player.vimeo.com'],
  ] as const) {
    const { page, path } = await lessonWith({ video_url });
    for (const query of ['', '?play=', '?play=2', '?play=1&play=1', '?other=1']) {
      const before = await nobody(page + query);
      expect(before.status).toBe(200);
      expect(before.text).toContain(`Play from ${provider}`);
      expect(before.text).not.toContain('<iframe');
      expect(before.text).not.toContain(host);
      expect(before.text).not.toContain(video_url);
      expect(policyOf(before)).not.toContain('frame-src');
      expect(before.headers['cache-control']).toBe('private, no-store');
    }
    const playing = await nobody(`${page}?play=1`);
    expect(playing.text).toMatch(
      new RegExp(
        `<iframe src="https://${host}/[^"]+" title="Video: One"[^>]* referrerpolicy="strict-origin-when-cross-origin">`,
      ),
    );
    expect(playing.text.match(/<iframe/g)).toHaveLength(1);
    expect(policyOf(playing)).toBe(`${policyOf(await nobody(page))}; frame-src https://${host}`);
    expect(policyOf(await nobody(`${path}?play=1`))).not.toContain('frame-src');
  }
});

test('a file plays in the page, any other address is a link, and neither is ever framed', async () => {
  for (const [video_url, expected] of [
    ['https://cdn.example/film.mp4', '<video controls preload="none" src="https://cdn.example/film.mp4"'],
    [
      `${publicOrigin}/media/mb3k9x2a7f0q1zd/film.webm`,
      '<video controls preload="metadata" src="/media/mb3k9x2a7f0q1zd/film.webm"',
    ],
    ['https://video.example.com/film', '<a href="https://video.example.com/film" rel="noopener">'],
    [
      'https://youtu.be.evil.example/dQw4w9WgXcQ',
      '<a href="https://youtu.be.evil.example/dQw4w9WgXcQ" rel="noopener">',
    ],
  ] as const) {
    const { page } = await lessonWith({ video_url });
    const shown = await nobody(`${page}?play=1`);
    expect(shown.text).toContain(expected);
    expect(shown.text).not.toContain('<iframe');
    expect(policyOf(shown)).not.toContain('frame-src');
  }
  const { page } = await lessonWith({ video_url: '' });
  expect((await nobody(`${page}?play=1`)).text).not.toMatch(/<iframe|<video|class="player/);
});

test('the page of a closed lesson contains neither its video nor a frame', async () => {
  const { page } = await lessonWith({ video_url: 'https://youtu.be/dQw4w9WgXcQ' }, 'paid');
  for (const query of ['', '?play=1']) {
    const shown = await nobody(page + query);
    expect(shown.status).toBe(200);
    expect(shown.text).not.toMatch(/youtu|dQw4w9WgXcQ|<iframe/i);
    expect(policyOf(shown)).not.toContain('frame-src');
  }
});

/** Addresses in a page that contain a signature. */
const signedIn = (text: string) =>
  [...text.matchAll(/"(\/media\/[^"]*[?&](?:amp;)?sig=[^"]*)"/g)].map(([, address = '']) =>
    address.replaceAll('&amp;', '&'),
  );

test('the page of a lesson signs its protected files for those who may read it, and no other answer contains a signature', async () => {
  const [slides, film, other] = [
    await uploadProtected('slides.pdf'),
    await uploadProtected('film.pdf'),
    await uploadProtected('other.pdf'),
  ];
  const content = `[Slides](${slides.url}) and [film](${publicOrigin}${film.url}#page=2)`;
  const course = await lessonWith({ content }, 'paid');
  await studio.posts.create.mutate({ title: 'Post', slug: 'post', content: `[Slides](${slides.url})` });
  const buyer = await site.signUp('buyer@example.com', ['paid']);
  const shown = await buyer.visit(course.page);
  const signed = signedIn(shown.text);
  expect(signed.map((address) => address.split(/[?#]/)[0])).toEqual([slides.url, film.url]);
  expect(shown.text).not.toContain(other.id);
  expect(shown.headers['cache-control']).toBe('private, no-store');
  for (const [at, file] of [slides, film].entries()) {
    const part = await request(app.baseUrl + signed[at], { headers: { range: 'bytes=9-25' } });
    expect([part.statusCode, await part.body.text()]).toEqual([206, canary]);
    expect((await request(app.baseUrl + file.url)).statusCode).toBe(404);
  }
  app.clock.advance({ hours: 12 });
  expect((await request(app.baseUrl + signed[0])).statusCode).toBe(404);

  const values: Record<string, string> = { slug: course.slug, lesson: course.id };
  const paths = Object.values(sitePaths).map((path) =>
    path.replace(/:(\w+)/g, (_, name: string) => values[name] ?? 'x').replace('*', 'x'),
  );
  const member = await site.signUp('member@example.com');
  for (const visit of [nobody, member.visit])
    for (const path of [...paths, course.page, '/posts/post', '/posts/post.md']) {
      const { text, headers } = await visit(path);
      expect([path, signedIn(text)]).toEqual([path, []]);
      expect([path, JSON.stringify([text, headers])]).toEqual([
        path,
        expect.not.stringMatching(/[?&;]sig=|PLANTED/),
      ]);
    }
});

test('no call returns a protected file or a signature, except to people who work with the files', async () => {
  const file = await uploadProtected('secret.pdf');
  const course = await lessonWith({ content: `[Slides](${file.url})` });
  const owner = await app.seed.ownerToken();
  const learner = await site.signUp('learner@example.com');
  const ids = [file.id, course.id, course.slug, course.lessons[0] ?? ''];
  const leaks = new Set<string>();
  const staffs = new Set<string>();
  for (const call of calls.filter(({ writes }) => !writes))
    for (const [credential, memberToken] of [[key, learner.token], [owner], ['', learner.token]] as const)
      for (const id of ids) {
        const named = Object.keys(call.example).filter((field) => /^(id|.*_id|slug)$/.test(field));
        const input = { ...call.example, ...Object.fromEntries(named.map((field) => [field, id])) };
        const headers = memberToken ? { 'x-member-token': memberToken } : {};
        const answer = await call.send(withHeaders(app, headers), input, credential);
        if (!/[?&]?until=\d+&sig=|PLANTED/.test(JSON.stringify([answer.body, [...answer.headers]]))) continue;
        (credential === owner ? staffs : leaks).add(call.name);
      }
  expect([...leaks]).toEqual([]);
  expect([...staffs].toSorted()).toEqual(['studio.media.get', 'studio.media.list']);
});

test('in a browser, a lesson requests nothing from other sites before its video is played, and violates no policy', async () => {
  await using browser = await startWatchedBrowser();
  const { page, faults, hosts, context } = await browser.open();
  const player = 'https://www.youtube-nocookie.com';
  const referrers: (string | undefined)[] = [];
  await context.route(`${player}/**`, async (route) => {
    referrers.push((await route.request().allHeaders()).referer);
    await route.fulfill({ contentType: 'text/html', body: '<title>Player</title>' });
  });
  const lesson = await lessonWith({
    video_url: 'https://www.youtube.com/watch?v=dQw4w9WgXcQ',
    content: 'Text.',
  });
  for (const width of [390, 1280]) {
    await page.setViewportSize({ width, height: 800 });
    await page.goto(app.baseUrl + lesson.page);
    const play = page.getByRole('link', { name: 'Play from YouTube' });
    expect(await findViolations(page)).toEqual([]);
    expect([...hosts]).toEqual([new URL(app.baseUrl).host]);
    await play.focus();
    await page.keyboard.press('Enter');
    await page.frameLocator('iframe').locator('title').waitFor({ state: 'attached' });
    expect(hosts).toEqual(new Set([new URL(app.baseUrl).host, new URL(player).host]));
    expect(await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)).toBeLessThanOrEqual(
      0,
    );
    hosts.delete(new URL(player).host);
  }
  expect(referrers).toEqual([`${app.baseUrl}/`, `${app.baseUrl}/`]);
  expect(faults).toEqual([]);
});
