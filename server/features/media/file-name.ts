import { cutText } from '../../../shared/contract/cut-text.ts';
import { type MediaType, mediaTypes } from '../../../shared/contract/features/media.ts';
import { withoutEnding } from '../../../shared/contract/features/media-address.ts';
import { media } from '../../../shared/contract/limits.ts';

/**
 * A name to keep a file by: no path, no invisible characters, and the ending of what it is, whatever the uploader called
 * it.
 */
export function fileName(given: string, type: MediaType): string {
  const ending = `.${mediaTypes[type]}`;
  const last = given.toWellFormed().normalize('NFC').split(/[\\/]/).at(-1) ?? '';
  const stem = withoutEnding(last.replace(/\s+/g, ' ').replace(/\p{C}/gu, '')).trim();
  const cut = cutText(stem, media.longestName - ending.length).trim();
  return `${cut.replace(/^\.+/, '') || 'file'}${ending}`;
}
