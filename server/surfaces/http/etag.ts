/** Whether an `If-None-Match` names `etag`: weak comparison, or any at all (RFC 9110, 13.1.2). */
export const hasTag = (header: string, etag: string) =>
  header.split(',').some((tag) => tag.trim() === '*' || tag.trim().replace(/^W\//, '') === etag);
