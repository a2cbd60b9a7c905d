import { expect, test } from 'vitest';
import { lessonVideoOf } from './video-address.ts';

const own = ['https://grace.example', 'https://host.example'];
const videoOf = (address: string) => lessonVideoOf(address, own);

const id = 'dQw4w9WgXcQ';
const youtube = {
  kind: 'frame',
  provider: 'YouTube',
  origin: 'https://www.youtube-nocookie.com',
  src: `https://www.youtube-nocookie.com/embed/${id}?autoplay=1`,
};

test.for([
  `https://www.youtube.com/watch?v=${id}`,
  `http://youtube.com/watch?v=${id}`,
  `HTTPS://WWW.YouTube.com/watch?v=${id}&t=42s&list=PL123#comments`,
  `https://m.youtube.com/watch?app=desktop&v=${id}`,
  `https://music.youtube.com/watch?v=${id}`,
  `https://youtu.be/${id}`,
  `https://youtu.be/${id}?si=share&t=90`,
  `https://www.youtube.com/embed/${id}?start=10`,
  `https://www.youtube.com/shorts/${id}`,
  `https://www.youtube.com/live/${id}?feature=share`,
  `https://www.youtube.com/v/${id}`,
  `https://www.youtube-nocookie.com/embed/${id}`,
])('%s plays in a frame of YouTube without cookies', (address) => {
  expect(videoOf(address)).toEqual(youtube);
});

const vimeo = (query: string) => ({
  kind: 'frame',
  provider: 'Vimeo',
  origin: 'https://player.vimeo.com',
  src: `https://player.vimeo.com/video/76979871?${query}autoplay=1&dnt=1`,
});

test.for([
  ['https://vimeo.com/76979871', ''],
  ['https://www.vimeo.com/76979871?share=copy', ''],
  ['https://vimeo.com/channels/staffpicks/76979871', ''],
  ['https://vimeo.com/groups/shortfilms/videos/76979871', ''],
  ['https://vimeo.com/showcase/123/video/76979871', ''],
  ['https://vimeo.com/manage/videos/76979871', ''],
  ['https://vimeo.com/76979871/8272103f6e', 'h=8272103f6e&'],
  ['https://vimeo.com/manage/videos/76979871/8272103f6e/', 'h=8272103f6e&'],
  ['https://vimeo.com/76979871?h=8272103f6e', 'h=8272103f6e&'],
  ['https://player.vimeo.com/video/76979871', ''],
  ['https://player.vimeo.com/video/76979871?title=0&h=8272103f6e', 'h=8272103f6e&'],
] as const)('%s plays in a frame of Vimeo, with its hash', ([address, query]) => {
  expect(videoOf(address)).toEqual(vimeo(query));
});

const file = '/media/mb3k9x2a7f0q1zd/A%20lesson.mp4';

test.for([
  [`https://grace.example${file}`, { src: file, isOwn: true }],
  [`https://host.example${file}?until=1&sig=x#t=30`, { src: `${file}#t=30`, isOwn: true }],
  [
    'https://grace.example/media/mb3k9x2a7f0q1zd/talk.m4a',
    { src: '/media/mb3k9x2a7f0q1zd/talk.m4a', isOwn: true },
  ],
  ['https://cdn.example/a/b.mp4?token=1', { src: 'https://cdn.example/a/b.mp4?token=1', isOwn: false }],
  ['https://cdn.example/B.WEBM', { src: 'https://cdn.example/B.WEBM', isOwn: false }],
  [`https://evil.example${file}`, { src: `https://evil.example${file}`, isOwn: false }],
  [`http://grace.example${file}`, { src: `http://grace.example${file}`, isOwn: false }],
  [`https://grace.example:8443${file}`, { src: `https://grace.example:8443${file}`, isOwn: false }],
] as const)('%s plays as a file', ([address, expected]) => {
  expect(videoOf(address)).toEqual({ kind: 'file', ...expected });
});

test.for([
  `https://youtube.com.evil.example/watch?v=${id}`,
  `https://evil.example/https://www.youtube.com/watch?v=${id}`,
  `https://evil.example/?https://youtu.be/${id}`,
  `https://evil.example#youtu.be/${id}`,
  `https://www.youtube.com@evil.example/watch?v=${id}`,
  `https://user:password@www.youtube.com/watch?v=${id}`,
  `https://www.youtube.com:8443/watch?v=${id}`,
  `https://www.youtube.com./watch?v=${id}`,
  `https://evilyoutube.com/watch?v=${id}`,
  `https://wwwxyoutube.com/watch?v=${id}`,
  `https://www-youtube.com/watch?v=${id}`,
  `https://www.youtubexcom/watch?v=${id}`,
  `https://evil.youtube.com/watch?v=${id}`,
  `https://youtu.be.evil.example/${id}`,
  `https://youtuxbe/${id}`,
  'https://www.youtube.com/watch?v=too-short',
  `https://www.youtube.com/watch?v=${id}x`,
  `https://www.youtube.com/watch?v=${id}%22%20onload%3D`,
  `https://www.youtube.com/watch?v=${id}%0A`,
  `https://www.youtube.com/watch?v=${id}&v=aaaaaaaaaaa`,
  `https://www.youtube.com/embed/${id}/../../redirect`,
  `https://www.youtube.com/embed/..%2F${id}`,
  'https://www.youtube.com/embed/videoseries?list=PL123',
  'https://www.youtube.com/embed/live_stream?channel=UC123',
  'https://www.youtube.com/embed/dQw4w9Wg%3Fc',
  `https://www.youtube.com/redirect?q=https://evil.example&v=${id}`,
  'https://www.youtube.com/@grace',
  'https://vimeo.com/grace',
  'https://vimeo.com/1',
  'https://vimeo.com/76979871/not-a-hash',
  'https://vimeo.com/76979871?h=%22%3E%3Cscript%3E',
  'https://vimeo.com/76979871?h=8272103f6e&h=aaaaaaaaaa',
  'https://player.vimeo.com/external/76979871',
  'https://player.vimeo.com.evil.example/video/76979871',
  'https://vimeoxcom/76979871',
  'https://grace.example/media/mb3k9x2a7f0q1zd/slides.pdf',
  'https://grace.example/media/mb3k9x2a7f0q1zd/picture.jpg',
  'https://user@cdn.example/a.mp4',
  'https://cdn.example/watch?file=a.mp4',
  'https://cdn.example/a.mp4/page',
  'https://video.example.com/lessons/nested-loops',
])('the video address %s is shown as a link and plays nothing', (address) => {
  expect(videoOf(address)).toEqual({ kind: 'link', href: new URL(address).href });
});

test.for([
  '',
  'not an address',
  '//www.youtube.com/watch?v=dQw4w9WgXcQ',
  '/media/mb3k9x2a7f0q1zd/a.mp4',
  'javascript:alert(1)//youtu.be/dQw4w9WgXcQ',
  'data:text/html,<script>alert(1)</script>.mp4',
  'file:///etc/a.mp4',
  'ftp://cdn.example/a.mp4',
  'blob:https://grace.example/a.mp4',
])('the video address %s shows nothing', (address) => {
  expect(videoOf(address)).toBeNull();
});
