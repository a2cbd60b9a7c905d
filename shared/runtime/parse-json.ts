/**
 * Maximum nesting depth and maximum number of commas. Parsing deeply nested JSON or many values takes more time and
 * memory than parsing long texts.
 */
const max = { depth: 150_000, commas: 50_000 } as const;

const [quote, backslash, comma, braceOpens, braceCloses, bracketOpens, bracketCloses] =
  Buffer.from('"\\,{}[]');

/** Parses JSON. Throws `SyntaxError` if it is invalid or exceeds the limits. */
export function parseJson(text: string): unknown {
  if (isTooIntricate(text)) throw new SyntaxError('nested too deeply or too many values');
  return JSON.parse(text);
}

/** Parses JSON. Undefined if it is invalid or exceeds the limits. */
export function safeParseJson(text: string): unknown {
  try {
    return parseJson(text);
  } catch {
    return undefined;
  }
}

/** True if JSON is nested more deeply, or has more values, than the limits allow. */
export function isTooIntricate(text: string, maxCommas: number = max.commas): boolean {
  if (text.length <= maxCommas) return false;
  let [depth, commas, isInString] = [0, 0, false];
  for (let at = 0; at < text.length && depth <= max.depth && commas <= maxCommas; at += 1) {
    const sign = text.charCodeAt(at);
    if (sign === backslash) at += 1;
    else if (sign === quote) isInString = !isInString;
    else if (isInString) continue;
    else if (sign === comma) commas += 1;
    else if (sign === braceOpens || sign === bracketOpens) depth += 1;
    else if (sign === braceCloses || sign === bracketCloses) depth -= 1;
  }
  return depth > max.depth || commas > maxCommas;
}
