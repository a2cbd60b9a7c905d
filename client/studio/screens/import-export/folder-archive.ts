import { padding, splitPath, tarEnd, tarHeader } from '../../../../shared/archive/tar.ts';

const isMarkdown = (name: string) => /\.(?:md|markdown|mdx)$/i.test(name);

/** Files of other systems' exports, for folders without Markdown. */
const isExport = (name: string) => /\.(?:html?|csv|json|xml)$/i.test(name);

/** Files that texts may embed or link. */
const isMedia = (name: string) =>
  /\.(?:jpe?g|png|gif|webp|avif|pdf|mp3|m4a|ogg|wav|flac|aac|mp4|webm|mov|ogv)$/i.test(name);

/**
 * Files with settings or data that say which texts are public. Files that are neither these nor texts or media are sent
 * without content.
 */
const isSettings = (name: string) =>
  /\.(?:toml|ya?ml|json)$|(?:^|\/)astro\.config\.[cm]?[jt]s$/i.test(name) || isHiddenSettings(name);

const isHiddenSettings = (name: string) => /(?:^|\/)\.(?:eleventy[\w.]*|gitignore)$/.test(name);

/** True if a part of a path is a hidden file or folder, or a folder of installed packages. */
const isForPrograms = (name: string) =>
  name
    .split('/')
    .some((part) => (part.startsWith('.') && !isHiddenSettings(part)) || part === 'node_modules');

/** Files of an Obsidian vault. One of them is packed, because the import treats a vault's notes differently. */
const isVault = (name: string) => name.split('/').includes('.obsidian');

/**
 * Packs a folder into one tar file; returns null if it contains nothing to import. Files are read while they are sent, so
 * memory use does not depend on their size. Files that the import ignores are included without content, so that the report
 * lists them.
 */
export function folderArchive(files: readonly File[]): Blob | null {
  const all = files.map((file) => ({
    file,
    name: file.webkitRelativePath.split('/').slice(1).join('/') || file.name,
  }));
  const named = all.filter(({ name }) => !isForPrograms(name)).toSorted((a, b) => (a.name < b.name ? -1 : 1));
  const isMadeByGenerator = named.some(({ name }) => isMarkdown(name));
  const isText = isMadeByGenerator ? isMarkdown : isExport;
  const isSent = (name: string) => isText(name) || isMedia(name) || (isMadeByGenerator && isSettings(name));
  if (!named.some(({ name }) => isText(name))) return null;
  const marks = all.filter(({ name }) => isVault(name)).slice(0, 1);
  const parts = [...marks, ...named].flatMap(({ file, name }): BlobPart[] =>
    isSent(name)
      ? [...headOf(name, file.size, file.lastModified), file, padding(file.size)]
      : headOf(name, 0, file.lastModified),
  );
  return new Blob([...parts, tarEnd]);
}

/** Tar headers of a file. A name too long for the header gets a pax entry before it. */
function headOf(name: string, size: number, modifiedMs: number): Uint8Array<ArrayBuffer>[] {
  const modified = Math.max(0, Math.floor(modifiedMs / 1_000));
  const header = (path: string, bytes: number, type: '0' | 'x') =>
    tarHeader(path, bytes, { mode: 0o644, modified, type });
  if (splitPath(name)) return [header(name, size, '0')];
  const record = paxRecord(name);
  return [header('pax', record.length, 'x'), record, padding(record.length), header('pax', size, '0')];
}

/** Pax record `length path=name`, where the length includes its own digits. */
function paxRecord(name: string): Uint8Array<ArrayBuffer> {
  const encode = (text: string) => new TextEncoder().encode(text);
  const rest = encode(` path=${name}\n`).length;
  let length = rest + 1;
  while (String(length).length + rest !== length) length = String(length).length + rest;
  return encode(`${length} path=${name}\n`);
}
