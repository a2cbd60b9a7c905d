/**
 * Exports of `node:http` that a server needs. An `import` of that module would evaluate all its exports, and those of
 * its client load fetch and WebSocket. That costs 11 MB and a twentieth of a start, which most processes never need.
 */
export const { createServer, maxHeaderSize, METHODS, STATUS_CODES } = process.getBuiltinModule('node:http');
