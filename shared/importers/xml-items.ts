import { importExport } from '../contract/features/import-export.ts';
import { type DecodedText, decodeText, withoutUtf16 } from './decode-text.ts';
import { SourceError } from './source-file.ts';

export type XmlPiece =
  /** Content before the first item. */
  | ({ kind: 'head' } & DecodedText)
  /** `<item>…</item>`; the text is null if the item is too long to be imported. */
  | ({ kind: 'item' } & (DecodedText | { text: null }));

const refused = (why: string) => new SourceError(`the file is not a WordPress export: ${why}`);

/** Marks that separate items, or protect their content. Everything else is skipped. */
const marks = () => /<!\[CDATA\[|\]\]>|<!--|-->|<!DOCTYPE|<!ENTITY|<item[\s>]|<\/item\s*>/g;

/** Maximum length of a mark. As many last characters are scanned again with the next chunk, which may complete a mark. */
const maxMarkupLength = 16;

/** Number of waiting bytes that are always appended. Fewer wait until they are as many as `held` has. */
const maxPieceLength = 1024 * 1024;

interface Scan {
  /** Text that is not finished: the head, or the current item, with one character per byte. */
  held: string;
  /** Offset in `held` at which scanning resumes. */
  from: number;
  within: 'markup' | 'cdata' | 'comment';
  place: 'head' | 'between' | 'item';
  isTooLong: boolean;
}

/**
 * Yields the items of an RSS file, one at a time, so that memory does not depend on its length. Throws `SourceError`
 * for entity definitions, so that nothing is expanded, and for a head that is too long. Items are separated before
 * they are parsed, so that a broken one affects no other.
 */
export async function* xmlItems(chunks: AsyncIterable<Buffer>): AsyncGenerator<XmlPiece> {
  const scan: Scan = { held: '', from: 0, within: 'markup', place: 'head', isTooLong: false };
  let waiting: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of withoutUtf16(chunks)) {
    waiting.push(chunk);
    bytes += chunk.length;
    // Appending copies `held`, so it is done only for pieces that are at least as long.
    if (bytes < Math.min(scan.held.length, maxPieceLength)) continue;
    scan.held += Buffer.concat(waiting).toString('latin1');
    [waiting, bytes] = [[], 0];
    yield* advance(scan, scan.held.length - maxMarkupLength);
    forget(scan);
  }
  scan.held += Buffer.concat(waiting).toString('latin1');
  yield* advance(scan, scan.held.length);
  if (scan.place === 'item') throw refused('it ends early');
  if (scan.place === 'head') yield { kind: 'head', ...textOf(scan.held) };
}

const textOf = (bytes: string) => decodeText(Buffer.from(bytes, 'latin1'));

/** Processes the marks that begin before `until`. */
function* advance(scan: Scan, until: number): Generator<XmlPiece> {
  const pattern = marks();
  let left = until;
  pattern.lastIndex = scan.from;
  for (let found = pattern.exec(scan.held); found && found.index <= left; found = pattern.exec(scan.held)) {
    const [mark] = found;
    scan.from = pattern.lastIndex;
    const before = scan.held.length;
    yield* enter(scan, mark, found.index);
    left -= before - scan.held.length;
    pattern.lastIndex = scan.from;
  }
  scan.from = Math.max(scan.from, left);
}

function* enter(scan: Scan, mark: string, index: number): Generator<XmlPiece> {
  if (scan.within !== 'markup') {
    if (mark === (scan.within === 'cdata' ? ']]>' : '-->')) scan.within = 'markup';
  } else if (mark === '<![CDATA[') scan.within = 'cdata';
  else if (mark === '<!--') scan.within = 'comment';
  else if (mark.startsWith('<!')) throw refused('it defines entities or a document type, which is not read');
  else if (mark.startsWith('<item') && scan.place !== 'item') {
    if (scan.place === 'head') yield { kind: 'head', ...textOf(scan.held.slice(0, index)) };
    Object.assign(scan, { place: 'item', isTooLong: false, held: scan.held.slice(index), from: mark.length });
  } else if (mark.startsWith('</item') && scan.place === 'item') {
    const isTooLong = scan.isTooLong || scan.from > importExport.recordBytes;
    yield { kind: 'item', ...(isTooLong ? { text: null } : textOf(scan.held.slice(0, scan.from))) };
    Object.assign(scan, { place: 'between', held: scan.held.slice(scan.from), from: 0 });
  }
}

/** Discards content between items, and an item longer than a record may be. Throws if the head is too long. */
function forget(scan: Scan) {
  if (scan.place !== 'between' && scan.held.length <= importExport.recordBytes) return;
  if (scan.place === 'head') throw refused('its first item comes too late');
  scan.isTooLong ||= scan.place === 'item';
  const from = Math.max(0, scan.from);
  scan.held = scan.held.slice(from);
  scan.from = 0;
}
