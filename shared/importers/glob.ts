type Token =
  | { kind: 'char'; char: string }
  | { kind: 'class'; chars: ReadonlySet<string>; isNegated: boolean }
  /**
   * `one` stands for one character, `some` for any number of them within a folder, `any` for any number. `folders` stands
   * for any number of folders, with their slashes.
   */
  | { kind: 'one' | 'some' | 'any' | 'folders' };

/** Maximum length of a pattern, and maximum number of alternatives. */
const max = { characters: 500, alternatives: 50 } as const;

/**
 * Returns a function that matches paths with a pattern of Hugo, in which `**` matches across folders, even within a name.
 * A pattern that is too long, or whose syntax is unknown, matches nothing.
 */
export function globOf(pattern: string): (path: string) => boolean {
  const plain = pattern.replace(/^\.?\//, '');
  // In patterns such as `!(a)`, the character before the parentheses changes their meaning. They are not supported.
  if (plain.length > max.characters || /[!?+*@]\(|\\/.test(plain)) return () => false;
  const each = withoutChoices([plain]).map((one) => tokensOf(one));
  if (each.includes(null)) return () => false;
  return (path) => each.some((tokens) => tokens !== null && isMatch(tokens, path));
}

/** Expands `{a,b}` into a pattern per choice, innermost first. Too many choices stay unexpanded and match nothing. */
function withoutChoices(patterns: readonly string[]): readonly string[] {
  const [pattern = ''] = patterns.filter((one) => innermost.test(one));
  const [all, choices = ''] = innermost.exec(pattern) ?? [];
  if (all === undefined) return patterns;
  const more = choices.split(',').map((choice) => pattern.replace(all, () => choice));
  const others = patterns.filter((one) => one !== pattern);
  return others.length + more.length > max.alternatives ? patterns : withoutChoices([...others, ...more]);
}

const innermost = /\{([^{}]*)\}/;

function tokensOf(pattern: string): Token[] | null {
  const tokens: Token[] = [];
  for (const [part] of pattern.matchAll(/(?<=^|\/)\*\*\/|\*+|\[[^\]]+\]|[\s\S]/g)) {
    if (part === '**/') tokens.push({ kind: 'folders' });
    else if (part.startsWith('*')) tokens.push({ kind: part.length > 1 ? 'any' : 'some' });
    else if (part === '?') tokens.push({ kind: 'one' });
    else if (part.length > 1) {
      const [, negation = '', chars = ''] = /^\[([!^]?)(.+)\]$/.exec(part) ?? [];
      if (chars.includes('-')) return null;
      tokens.push({ kind: 'class', chars: new Set(chars), isNegated: negation !== '' });
    } else if ('{}[]()'.includes(part)) return null;
    else tokens.push({ kind: 'char', char: part });
  }
  return tokens;
}

/** Follows all alternatives at the same time, so that the time is proportional to the lengths of pattern and path. */
function isMatch(tokens: readonly Token[], path: string): boolean {
  let at = new Set<number>();
  // Positions up to `tokens.length` are before a token. Greater ones, reduced by `within`, are inside the folders of
  // a `**/` token.
  const within = tokens.length + 1;
  const enter = (positions: Set<number>, position: number) => {
    // A position that is present already was added together with those that follow it here.
    for (let next = position; !positions.has(next); next += 1) {
      positions.add(next);
      const kind = tokens[next]?.kind;
      if (kind !== 'some' && kind !== 'any' && kind !== 'folders') return;
    }
  };
  enter(at, 0);
  for (const char of path) {
    const next = new Set<number>();
    for (const position of at) {
      const number = position % within;
      const token = tokens[number];
      if (!token) continue;
      if (token.kind === 'folders') {
        next.add(number + within);
        if (char === '/') enter(next, number + 1);
      } else if (token.kind === 'any' || (token.kind === 'some' && char !== '/')) enter(next, number);
      else if (isOne(token, char)) enter(next, number + 1);
    }
    at = next;
  }
  return at.has(tokens.length);
}

function isOne(token: Token, char: string): boolean {
  if (token.kind === 'char') return token.char === char;
  if (char === '/') return false;
  return token.kind === 'one' || (token.kind === 'class' && token.chars.has(char) !== token.isNegated);
}
