interface Addressed {
  id: string;
  name: string;
}

/** The address of a file as it was uploaded. */
export const mediaUrl = ({ id, name }: Addressed) => `/media/${id}/${inPath(name)}`;

/** The address of the copy that is `width` pixels wide. */
export const mediaSizeUrl = ({ id, name }: Addressed, width: number) =>
  `/media/${id}/${width}/${inPath(`${withoutEnding(name)}.webp`)}`;

/** The same of a file that is known by its address alone. */
export function sizeUrlOf(url: string, width: number): string {
  const [, , id = '', name = ''] = url.split('/');
  return mediaSizeUrl({ id, name: decodeURIComponent(name) }, width);
}

/** What the service says of a picture, as far as its sizes go. */
interface SizedImage {
  url: string;
  /** Null of what is no image. */
  width: number | null;
  widths: readonly number[];
}

/** The sizes of a picture for `srcset`, the picture itself among them; empty where there are no copies. */
export function srcsetOf({ url, width, widths }: SizedImage, origin = ''): string {
  if (widths.length === 0) return '';
  const copies = widths.map((copy) => `${origin}${sizeUrlOf(url, copy)} ${copy}w`);
  return [...copies, `${origin}${url} ${width}w`].join(', ');
}

/** Parentheses and the like would end an address in Markdown. */
const inPath = (name: string) =>
  encodeURIComponent(name).replace(
    /[!'()*~]/g,
    (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`,
  );

/** A name without what tells the type. */
export const withoutEnding = (name: string) => name.replace(/\.[^.]*$/, '');
