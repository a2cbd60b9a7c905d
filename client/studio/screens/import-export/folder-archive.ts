import { padding, splitPath, tarEnd, tarHeader } from '../../../../shared/archive/tar.ts';

const isMarkdown = (name: string) => /\.(?:md|markdown|mdx)$/i.test(name);

/** What exports of other systems are made of, where there is no Markdown. */
const isExport = (name: string) => /\.(?:html?|csv|json|xml)$/i.test(name);

/** What texts may show. */
const isMedia = (name: string) =>
  /\.(?:jpe?g|png|gif|webp|avif|pdf|mp3|m4a|ogg|wav|flac|aac|mp4|webm|mov|ogv)$/i.test(name);

/** Settings and data that say which texts are public. Other programs are sent without content: the import does not run them. */
const isSettings = (name: string) =>
  /\.(?:toml|ya?ml|json)$|(?:^|\/)astro\.config\.[cm]?[jt]s$/i.test(name) || isHiddenSettings(name);

const isHiddenSettings = (name: string) => /(?:^|\/)\.(?:eleventy[\w.]*|gitignore)$/.test(name);

/** Folders that programs keep for themselves. */
const isForPrograms = (name: string) =>
  name
    .split('/')
    .some((part) => (part.startsWith('.') && !isHiddenSettings(part)) || part === 'node_modules');

/** By it notes are told from what is made to be published. */
const isVault = (name: string) => name.split('/').includes('.obsidian');

/**
 * A folder as one file (tar), null when there is nothing in it that could be imported. The files are read as they are sent:
 * whatever their size, nothing of them is held here. Those that nothing is made of are named, so that the report tells of
 * them, but stay where they are.
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

/** A name that a header has no room for stands in an entry of its own before it (pax). */
function headOf(name: string, size: number, modifiedMs: number): Uint8Array<ArrayBuffer>[] {
  const modified = Math.max(0, Math.floor(modifiedMs / 1_000));
  const header = (path: string, bytes: number, type: '0' | 'x') =>
    tarHeader(path, bytes, { mode: 0o644, modified, type });
  if (splitPath(name)) return [header(name, size, '0')];
  const record = paxRecord(name);
  return [header('pax', record.length, 'x'), record, padding(record.length), header('pax', size, '0')];
}

/** `length path=name`, where the length counts itself. */
function paxRecord(name: string): Uint8Array<ArrayBuffer> {
  const encode = (text: string) => new TextEncoder().encode(text);
  const rest = encode(` path=${name}\n`).length;
  let length = rest + 1;
  while (String(length).length + rest !== length) length = String(length).length + rest;
  return encode(`${length} path=${name}\n`);
}
