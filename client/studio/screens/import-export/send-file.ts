import { ImportLine } from '../../../../shared/contract/features/import-export.ts';

/** Refusal of a file by the service, with its error code and message. */
export class ImportRefused extends Error {
  readonly code: string;

  constructor({ code, message }: { code: string; message: string }) {
    super(message);
    this.code = code;
  }
}

/**
 * Sends a file to a ticket's URL and reports its outcome as it arrives. Resolves at the end of the report. Rejects
 * with `ImportRefused` if the service refuses the file, with the signal's reason after an abort, or with another
 * error if the connection breaks. Throws the reason directly if `signal` is already aborted. Uses XMLHttpRequest,
 * because `fetch` does not report upload progress.
 */
export function sendFile(
  url: string,
  file: Blob,
  signal: AbortSignal,
  /** Called with the sent share of the file, from 0 to 1. */
  onSent: (share: number) => void,
  onLines: (lines: readonly ImportLine[]) => void,
): Promise<void> {
  signal.throwIfAborted();
  const request = new XMLHttpRequest();
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  let read = 0;
  let isWhole = false;
  const readOn = () => {
    if (request.status !== 200) return;
    const end = request.responseText.lastIndexOf('\n') + 1;
    const lines = linesOf(request.responseText.slice(read, end));
    read = end;
    const failed = lines.find((line) => 'error' in line);
    isWhole ||= lines.some((line) => 'counts' in line);
    onLines(lines);
    if (failed) reject(new ImportRefused(failed.error));
  };
  request.open('POST', url);
  request.upload.onprogress = ({ loaded, total }) => onSent(total > 0 ? loaded / total : 1);
  request.onprogress = readOn;
  request.onload = () => {
    readOn();
    if (request.status !== 200) reject(refusalIn(request.responseText));
    else if (isWhole) resolve();
    else reject(new Error('incomplete answer'));
  };
  request.onerror = () => reject(new Error('the connection failed'));
  request.onabort = () => reject(signal.reason);
  signal.addEventListener('abort', () => request.abort());
  request.send(file);
  return promise;
}

/** Parses the lines of a report. Empty lines, which keep the connection alive, are left out. */
const linesOf = (text: string) =>
  text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => ImportLine.parse(JSON.parse(line)));

function refusalIn(body: string): Error {
  const error = linesOf(body).find((line) => 'error' in line)?.error;
  return new ImportRefused(error ?? { code: '', message: '' });
}
