import path from 'node:path';
import { decodedPath } from '../contract/site-paths.ts';
import { withoutEnding } from './foreign-record.ts';
import type { Reference } from './references.ts';

/**
 * Folders whose content generators copy to the root of the site. All paths are looked up in each, relative ones in the
 * file's own folder first.
 */
const roots = ['', 'static/', 'public/', 'assets/', 'src/', 'content/', 'src/content/', 'source/'];

const endings = ['', '.md', '.markdown', '.mdx', '/index.md', '/_index.md'];

/**
 * Returns the locations to which a reference in a file may point, the likeliest first; empty for links to other
 * sites. `address` is the path of the file's page, if known. `top` is the folder that contains all files, with a
 * slash at its end or empty. `byName` has the files by the last part of their names.
 */
export function placesOf(
  { target, isByName }: Omit<Reference, 'fragment'>,
  file: string,
  address: string | undefined,
  top: string,
  byName: ReadonlyMap<string, string>,
): string[] {
  const wanted = pathOf(target);
  if (wanted === null) return [];
  const known = (name: string) => byName.get(path.posix.basename(name).toLowerCase());
  const named =
    isByName || /\.mdx?$/.test(wanted)
      ? [known(wanted), known(`${wanted}.md`), known(wanted.replace(/\.md$/, '.markdown'))].filter(
          (name) => name !== undefined,
        )
      : [];
  const rooted = wanted.replace(/^[/~@]*\//, '');
  const below = wanted.startsWith('/') ? [] : [path.posix.join(path.posix.dirname(file), wanted)];
  const names = [...below, ...roots.map((root) => `${top}${root}${rooted}`)];
  return [
    ...names.flatMap((name) => endings.map((ending) => `${name.replace(/\/$/, '')}${ending}`)),
    ...named,
    addressOf(wanted.startsWith('/') ? wanted : `/${path.posix.join(path.posix.dirname(file), wanted)}`),
    ...belowPage(target, address),
  ];
}

/**
 * Paths to which a browser resolves a target on the page of a file. Most pages are folders, so the page's path is tried with a
 * slash at its end, too.
 */
const belowPage = (target: string, address: string | undefined): string[] =>
  address === undefined
    ? []
    : [withoutEnding(address, '/'), address].flatMap((page, at) => {
        const url = URL.parse(target, `http://a.invalid${page}${at === 0 ? '/' : ''}`);
        return url ? [addressOf(url.pathname)] : [];
      });

/**
 * Returns the decoded path of a relative target, without query and fragment. Null for a target with a scheme or host,
 * with only a query or fragment, or that begins with a template tag.
 */
function pathOf(target: string): string | null {
  if (/^(?:[a-z][a-z0-9+.-]*:|\/\/|#|\{[{%])/i.test(target)) return null;
  return decodedPath(target.split(/[?#]/, 1).join('')).normalize('NFC') || null;
}

/**
 * Returns the form in which paths are compared: decoded, in NFC and in lower case, without the endings that generators
 * add or omit, and without a slash at the end.
 */
export const addressOf = (address: string) =>
  withoutEnding(
    decodedPath(address)
      .normalize('NFC')
      .replace(/(?:index)?\.html?$/i, ''),
    '/',
  ).toLowerCase() || '/';

/** Folders that generators omit from paths. */
const contentFolders = /^(?:src\/)?(?:content|pages|posts|_posts|collections|source)\/(?=.)/;

/** Returns the paths at which generators show a file by default. */
export function addressesOf(name: string, top: string): string[] {
  const below = name.slice(top.length).replace(/\.\w+$/, '');
  const plain = below.replace(contentFolders, '');
  const [, folders = '', year, month, day, rest] =
    /^(.*?)(?:_posts\/)?(\d{4})-(\d{1,2})-(\d{1,2})-([^/]+)$/.exec(below) ?? [];
  const dated = year
    ? [`/${folders}${year}/${month}/${day}/${rest}`, `/${folders}${rest}`, `/posts/${rest}`, `/blog/${rest}`]
    : [];
  return [`/${below}`, `/${plain}`, ...dated].map((address) => addressOf(address.replace(/\/_?index$/, '/')));
}
