import { atOrBelow, type Setting, setting } from './setting.ts';

/** Longest program that is looked through. */
const longest = 200_000;

/** The text of a program without lines that are remarks; null for one that is too long, or whose content was left behind. */
export function textWithoutRemarks(text: string): string | null {
  if (text === '' || text.length > longest) return null;
  let isRemark = false;
  const lines = text.split('\n').filter((line) => {
    const plain = line.trimStart();
    if (!isRemark && plain.startsWith('//')) return false;
    const begins = !isRemark && plain.startsWith('/*');
    const wasRemark = isRemark || begins;
    if (wasRemark) isRemark = !line.includes('*/');
    return !wasRemark;
  });
  return lines.join('\n');
}

export const unreadableProgram = (name: string): Setting => setting(name, { why: `${name} can not be read` });

/** Files at a pattern, and below it. */
export const leftOutAt = ({ name, below }: { name: string; below: string }, pattern: string): Setting =>
  setting(name, { below, ...atOrBelow(below, pattern), why: `${name} says that it is left out` });
