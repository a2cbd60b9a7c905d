const isMarkdown = (name: string) => /\.(?:md|markdown|mdx)$/i.test(name);

/** What exports of other systems are made of, where there is no Markdown. */
const isExport = (name: string) => /\.(?:html?|csv|json|xml)$/i.test(name);

/** What texts may show. */
const isMedia = (name: string) =>
  /\.(?:jpe?g|png|gif|webp|avif|pdf|mp3|m4a|ogg|wav|flac|aac|mp4|webm|mov|ogv)$/i.test(name);

/** Folders that programs keep for themselves. */
const isForPrograms = (name: string) =>
  name.split('/').some((part) => part.startsWith('.') || part === 'node_modules');

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
  const isText = named.some(({ name }) => isMarkdown(name)) ? isMarkdown : isExport;
  if (!named.some(({ name }) => isText(name))) return null;
  const marks = all.filter(({ name }) => isVault(name)).slice(0, 1);
  const parts = [...marks, ...named].flatMap(({ file, name }): BlobPart[] =>
    isText(name) || isMedia(name)
      ? [...headOf(name, file.size, file.lastModified), file, padding(file.size)]
      : headOf(name, 0, file.lastModified),
  );
  return new Blob([...parts, new Uint8Array(2 * blockBytes)]);
}

const blockBytes = 512;

const padding = (size: number) => new Uint8Array((blockBytes - (size % blockBytes)) % blockBytes);

/** Longest name that its header takes; one that is longer stands in an entry of its own before it (pax). */
const longestName = 100;

function headOf(name: string, size: number, modified: number): Uint8Array<ArrayBuffer>[] {
  const bytes = encode(name);
  if (bytes.length <= longestName) return [header(bytes, { size, modified, type: '0' })];
  const record = paxRecord(name);
  return [
    header(encode('pax'), { size: record.length, modified, type: 'x' }),
    record,
    padding(record.length),
    header(bytes.slice(0, longestName), { size, modified, type: '0' }),
  ];
}

const encode = (text: string) => new TextEncoder().encode(text);

/** `length path=name`, where the length counts itself. */
function paxRecord(name: string): Uint8Array<ArrayBuffer> {
  const rest = encode(` path=${name}\n`).length;
  let length = rest + 1;
  while (String(length).length + rest !== length) length = String(length).length + rest;
  return encode(`${length} path=${name}\n`);
}

/** Where the fields of a header are (POSIX.1-1988, ustar). */
const places = { mode: 100, size: 124, modified: 136, checksum: 148, type: 156, magic: 257 } as const;

function header(
  name: Uint8Array,
  { size, modified, type }: { size: number; modified: number; type: string },
): Uint8Array<ArrayBuffer> {
  const block = new Uint8Array(blockBytes);
  const put = (at: number, text: string) => block.set(encode(text), at);
  block.set(name);
  put(places.mode, octal(0o644, 7));
  put(places.size, octal(size, 11));
  put(places.modified, octal(Math.max(0, Math.floor(modified / 1_000)), 11));
  put(places.checksum, ' '.repeat(8));
  put(places.type, type);
  put(places.magic, 'ustar\u000000');
  put(
    places.checksum,
    `${octal(
      block.reduce((sum, byte) => sum + byte, 0),
      6,
    )}\u0000 `,
  );
  return block;
}

const octal = (value: number, digits: number) => value.toString(8).padStart(digits, '0');
