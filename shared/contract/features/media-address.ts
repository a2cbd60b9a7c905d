interface MediaPath {
  id: string;
  name: string;
}

/** Returns the path of the uploaded file on the site, without the origin. */
export const mediaUrl = ({ id, name }: MediaPath) => `/media/${id}/${inPath(name)}`;

/** Returns the path of the rendition that is `width` pixels wide. The rendition may not exist. */
export const mediaSizeUrl = ({ id, name }: MediaPath, width: number) =>
  `/media/${id}/${width}/${inPath(`${withoutEnding(name)}.webp`)}`;

/**
 * Returns the path of the rendition that is `width` pixels wide, given the path of the uploaded file. Throws a
 * `URIError` if that path has a malformed percent-encoding.
 */
export function sizeUrlOf(url: string, width: number): string {
  const [, , id = '', name = ''] = url.split('/');
  return mediaSizeUrl({ id, name: decodeURIComponent(name) }, width);
}

/** Image with the widths of its renditions, in pixels. */
interface SizedImage {
  url: string;
  /** Width in pixels; null if the file is not an image. */
  width: number | null;
  widths: readonly number[];
}

/**
 * Returns the value of `srcset` for an image: the URLs of its renditions and of the uploaded file. `origin` is put in
 * front of each path. Empty if there are no renditions.
 */
export function srcsetOf({ url, width, widths }: SizedImage, origin = ''): string {
  if (widths.length === 0) return '';
  const renditions = widths.map((rendition) => `${origin}${sizeUrlOf(url, rendition)} ${rendition}w`);
  return [...renditions, `${origin}${url} ${width}w`].join(', ');
}

/** Encodes a name for a path. Parentheses and similar characters would end a URL in Markdown. */
const inPath = (name: string) =>
  encodeURIComponent(name).replace(
    /[!'()*~]/g,
    (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`,
  );

/** Returns a file name without its extension. */
export const withoutEnding = (name: string) => name.replace(/\.[^.]*$/, '');
