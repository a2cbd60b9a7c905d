import { mediaTypes } from './media.ts';

/** Video of a lesson, by its address. */
export type LessonVideo =
  /** File that browsers play themselves. */
  | {
      kind: 'file';
      /** Address of the file. For the site's own files it is a path, so that any host of the site serves them. */
      src: string;
      /** True for media files of the site itself. */
      isOwn: boolean;
    }
  /** Player of a video site, which the page shows in a frame. */
  | {
      kind: 'frame';
      /** Name of the video site. */
      provider: string;
      /** Origin of the frame, for `frame-src`. */
      origin: string;
      src: string;
    }
  /** Address of any other page. */
  | { kind: 'link'; href: string };

interface Player {
  provider: string;
  origin: string;
  pathOf(id: string, hash: string | undefined): string;
}

const youtube: Player = {
  provider: 'YouTube',
  origin: 'https://www.youtube-nocookie.com',
  pathOf: (id) => `/embed/${id}?autoplay=1`,
};

const vimeo: Player = {
  provider: 'Vimeo',
  origin: 'https://player.vimeo.com',
  pathOf: (id, hash) => `/video/${id}?${hash ? `h=${hash}&` : ''}autoplay=1&dnt=1`,
};

/**
 * Addresses of videos: a pattern of the host, the path and, where it is named, one query parameter. It captures the ID and then the
 * hash of an unlisted video. Frames are built from these captures alone.
 */
const addresses: readonly { player: Player; pattern: RegExp; parameter?: string }[] = [
  {
    player: youtube,
    pattern: /^(?:(?:www|m|music)\.)?youtube\.com\/watch\/?\?v=([\w-]{11})$/,
    parameter: 'v',
  },
  {
    player: youtube,
    // `videoseries` and `live_stream` are as long as the ID of a video, but are the players of playlists
    // and channels.
    pattern:
      /^(?:(?:www|m)\.)?youtube(?:-nocookie)?\.com\/(?:embed|live|shorts|v)\/(?!videoseries|live_stream)([\w-]{11})\/?$/,
  },
  { player: youtube, pattern: /^youtu\.be\/([\w-]{11})\/?$/ },
  {
    player: vimeo,
    pattern:
      /^(?:www\.)?vimeo\.com\/(?:channels\/[\w-]+\/|groups\/[\w-]+\/videos\/|showcase\/\d+\/video\/|manage\/videos\/)?(\d{5,12})\/([\da-zA-Z]{6,40})\/?$/,
  },
  {
    player: vimeo,
    pattern:
      /^(?:(?:www\.)?vimeo\.com\/(?:channels\/[\w-]+\/|groups\/[\w-]+\/videos\/|showcase\/\d+\/video\/|manage\/videos\/)?|player\.vimeo\.com\/video\/)(\d{5,12})\/?(?:\?h=([\da-zA-Z]{6,40}))?$/,
    parameter: 'h',
  },
];

const playable = Object.entries(mediaTypes).flatMap(([type, ending]) =>
  /^(audio|video)\//.test(type) ? [ending] : [],
);
const ownFile = new RegExp(String.raw`^/media/[a-z0-9]{15}/[^/]+\.(?:${playable.join('|')})$`, 'i');
const anyFile = /\.(mp4|webm)$/i;

/**
 * Returns how a page shows the video at an address; null for other schemes than http and https. `ownOrigins` are the site's origin and that of
 * PUBLIC_URL.
 */
export function lessonVideoOf(address: string, ownOrigins: readonly string[]): LessonVideo | null {
  const url = URL.parse(address);
  if (!url || !/^https?:$/.test(url.protocol)) return null;
  const isBare = url.username === '' && url.password === '';
  if (isBare && ownOrigins.includes(url.origin) && ownFile.test(url.pathname))
    return { kind: 'file', src: `${url.pathname}${url.hash}`, isOwn: true };
  if (isBare && anyFile.test(url.pathname)) return { kind: 'file', src: url.href, isOwn: false };
  return (isBare && frameOf(url)) || { kind: 'link', href: url.href };
}

function frameOf({ host, pathname, searchParams }: URL): LessonVideo | null {
  for (const { player, pattern, parameter } of addresses) {
    const values = parameter ? searchParams.getAll(parameter) : [];
    const query = values.length > 0 ? `?${parameter}=${values.join(',')}` : '';
    const [, id, hash] = pattern.exec(`${host}${pathname}${query}`) ?? [];
    const { provider, origin } = player;
    if (id) return { kind: 'frame', provider, origin, src: `${origin}${player.pathOf(id, hash)}` };
  }
  return null;
}
