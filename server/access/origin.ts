/** Whether a request with these headers comes from one of `allowed`; an empty list allows any (docs/contract.md#origins). */
export function originAllowed(
  allowed: readonly string[],
  headers: { origin?: string | undefined; referer?: string | undefined },
) {
  if (allowed.length === 0) return true;
  const claimed = headers.origin ?? originOf(headers.referer);
  return claimed !== undefined && allowed.includes(claimed.toLowerCase());
}

function originOf(referer = ''): string | undefined {
  return URL.canParse(referer) ? new URL(referer).origin : undefined;
}
