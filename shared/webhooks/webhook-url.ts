/** Longest URL taken, in UTF-16 units. */
const maxLength = 2000;

/** `reason` completes a sentence that starts with the field's name: "url must start with https://". */
export type UrlCheck = { ok: true; url: URL } | { ok: false; reason: string };

/**
 * Checks how a webhook URL is written; where it leads is for `resolveTarget`. What the WHATWG parser would silently
 * repair (missing slashes, backslashes, line breaks) is refused, so the URL shown to the owner is the one called.
 *
 * Registration takes https only, whatever is allowed elsewhere. `plainHttp` is
 * for the sender, which may reach receivers without TLS inside networks that the operator has opened.
 */
export function checkWebhookUrl(
  raw: string,
  options: { plainHttp: boolean } = { plainHttp: false },
): UrlCheck {
  const reason = fault(raw, options.plainHttp ? /^https?:\/\/[^/]/ : /^https:\/\/[^/]/);
  if (reason) return { ok: false, reason };
  const url = URL.parse(raw);
  if (!url || url.port === '0') return { ok: false, reason: 'must be a valid URL' };
  return { ok: true, url };
}

function fault(raw: string, start: RegExp): string | null {
  if (raw.length > maxLength) return `must have at most ${maxLength} characters`;
  if (!start.test(raw)) return 'must start with https://';
  if (/[\p{Cc}\p{Cf}\p{Cs}\p{Z}\\]/u.test(raw))
    return 'must not contain spaces, control characters or backslashes';
  if (/^[a-z]+:\/\/[^/?#]*@/.test(raw)) return 'must not contain a user name or password';
  return null;
}
