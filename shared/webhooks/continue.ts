const statusEnd = 'HTTP/1.1 100'.length;
const lineFeed = 0x0a;
const carriageReturn = 0x0d;

/**
 * Rewrites `100 Continue` as `102 Processing`, in place, in the chunks of one answer, wherever they are cut. A server may
 * send 100 unasked (RFC 9110, 15.2.1), but undici closes the connection on it; other interim answers it passes over.
 */
export function rewriteContinue(): (chunk: Buffer) => void {
  let start = '';
  let lineLength = 0;
  let isFinal = false;
  return (chunk) => {
    for (let at = 0; at < chunk.length && !isFinal; at++) {
      const byte = chunk.readUInt8(at);
      if (start.length < statusEnd) {
        start += String.fromCharCode(byte);
        if (start.length < statusEnd) continue;
        if (start.endsWith(' 100')) chunk.write('2', at);
        lineLength = statusEnd;
        isFinal = !/^HTTP\/1\.[01] 1/.test(start);
      } else if (byte === lineFeed) {
        // An empty line ends the head of an interim answer, and another head follows.
        if (lineLength === 0) start = '';
        lineLength = 0;
      } else if (byte !== carriageReturn) lineLength += 1;
    }
  };
}
