/** More than anything that is meant: reading what is nested, or has many parts, takes more time and memory than what is long. */
const most = { depth: 150_000, commas: 50_000 } as const;

const [quote, backslash, comma, braceOpens, braceCloses, bracketOpens, bracketCloses] =
  Buffer.from('"\\,{}[]');

/** Throws for what is no JSON, and for what has too much in it. */
export function parseJson(text: string): unknown {
  if (isTooIntricate(text)) throw new SyntaxError('nested too deeply or too many values');
  return JSON.parse(text);
}

/** Whether JSON is nested more deeply, or has more parts, than is read. */
export function isTooIntricate(text: string, mostCommas: number = most.commas): boolean {
  if (text.length <= mostCommas) return false;
  let [depth, commas, isInString] = [0, 0, false];
  for (let at = 0; at < text.length && depth <= most.depth && commas <= mostCommas; at += 1) {
    const sign = text.charCodeAt(at);
    if (sign === backslash) at += 1;
    else if (sign === quote) isInString = !isInString;
    else if (isInString) continue;
    else if (sign === comma) commas += 1;
    else if (sign === braceOpens || sign === bracketOpens) depth += 1;
    else if (sign === braceCloses || sign === bracketCloses) depth -= 1;
  }
  return depth > most.depth || commas > mostCommas;
}
