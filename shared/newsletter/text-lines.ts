/** Lines of a text as they are written one after the other, each behind the margins that are open then. */
export function createTextLines() {
  const lines: string[] = [];
  const margins: string[] = [];
  let line = '';
  /** What the next line begins with in place of its last margin. */
  let bullet = '';

  function end() {
    if (line.trim() !== '') {
      const margin = bullet ? `${margins.slice(0, -1).join('')}${bullet}` : margins.join('');
      lines.push(`${margin}${line}`.trimEnd());
      bullet = '';
    }
    line = '';
  }

  return {
    /** What the line has so far. */
    current: () => line,
    add(text: string) {
      line += text;
    },
    /** Words, as HTML has them: any white space is one blank. */
    addWords(text: string) {
      const words = text.replace(/[ \t\r\n]+/g, ' ');
      line += line === '' || line.endsWith(' ') ? words.trimStart() : words;
    },
    /** Lines that stay as they are. */
    addLines(text: string) {
      const [first = '', ...rest] = text.split('\n');
      line += first;
      for (const next of rest) {
        if (line === '') lines.push('');
        end();
        line = next;
      }
    },
    /** Ends the line, if there is anything in it. */
    end,
    /** Ends it, with an empty one behind it. */
    leaveGap() {
      end();
      if (lines.length > 0 && lines.at(-1) !== '' && !bullet) lines.push('');
    },
    /** A margin for all lines until it ends; `first`, for the first of them in its place. */
    indent(margin: string, first = '') {
      margins.push(margin);
      bullet = first;
    },
    outdent() {
      margins.pop();
      bullet = '';
    },
    whole() {
      end();
      return lines.join('\n').trim();
    },
  };
}

export type TextLines = ReturnType<typeof createTextLines>;
