/** What a tag is given, from where its name ends: texts between signs may hold any other. */
const givenPattern = /^\s{1,3}((?:"(?:\\.|[^"\\\n])*"|\x60[^\x60\n]*\x60|[^"\x60%>\n])+)(?:[>%]\}\}|%\})/;

/** Longest that a tag is given: what has no end is looked through no further. */
const longestGiven = 2_000;

/** A tag as Markdown shows it, and where it ends; null for what can not be shown by what it was given. */
export function shownTag(body: string, tag: { name: string; isLiquid: boolean; from: number }) {
  const [whole, given] = givenPattern.exec(body.slice(tag.from, tag.from + longestGiven)) ?? [];
  const plain = given === undefined ? null : shown(tag, argumentsOf(given));
  return plain === null || whole === undefined ? null : { plain, until: tag.from + whole.length };
}

/** What a tag is given, by name, or by place. */
const argumentsOf = (given: string): ReadonlyMap<string, string> =>
  new Map(
    [
      ...given.matchAll(
        /(?:([\w-]{1,40})=)?(?:"((?:\\.|[^"\\])*)"|\x60([^\x60]*)\x60|'([^']*)'|([^\s"'\x60=]+))/g,
      ),
    ].map(([, name, quoted, raw, single, bare], place) => [
      name ?? String(place),
      (quoted?.replace(/\\(?=["\\])/g, '') ?? raw ?? single ?? bare ?? '').trim(),
    ]),
  );

function shown(
  { name, isLiquid }: { name: string; isLiquid: boolean },
  given: ReadonlyMap<string, string>,
): string | null {
  const [first = '', second = ''] = [given.get('0') ?? given.get('user'), given.get('1')];
  const id = given.get('id') ?? (first.match(/^[\w-]+$/) ? first : '');
  if (/^(?:figure|image|img)$/.test(name)) return pictureOf(given);
  // After the id of a gist stands which of its files it is, which has no address of its own.
  const isWhole = isLiquid || /\/|^(?:\d+|[0-9a-f]{20,})$/.test(first);
  const address = {
    youtube: id && `https://www.youtube.com/watch?v=${id}`,
    vimeo: id && `https://vimeo.com/${id}`,
    instagram: id && `https://www.instagram.com/p/${id}/`,
    gist: first && `https://gist.github.com/${[first, isWhole ? '' : second].filter(Boolean).join('/')}`,
    tweet: first && given.get('id') && `https://twitter.com/${first}/status/${given.get('id')}`,
  }[name === 'x' ? 'tweet' : name];
  return address ? `<${address}>` : null;
}

function pictureOf(given: ReadonlyMap<string, string>): string | null {
  const source = given.get('src') ?? '';
  const link = given.get('link');
  if (source === '' || /[<>\n\\]/.test(source)) return null;
  const words = ['title', 'caption', 'attr'].flatMap((name) => given.get(name) || []).join(' · ');
  const alt = (given.get('alt') ?? '').replace(/[[\]\\]/g, '\\$&');
  const caption = words && ` "${words.replaceAll('\\', '\\\\').replaceAll('"', '&quot;')}"`;
  const picture = `![${alt}](<${source}>${caption})`;
  return link && !/[<>\\]/.test(link) ? `[${picture}](<${link}>)` : picture;
}
