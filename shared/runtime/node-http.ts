/**
 * What a server needs of `node:http`. An `import` of that module reads each of its exports, and those of its clients load
 * fetch and WebSocket: 11 MB and a twentieth of a start, which most processes never need.
 */
export const { createServer, maxHeaderSize, METHODS, STATUS_CODES } = process.getBuiltinModule('node:http');
